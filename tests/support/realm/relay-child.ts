import { connect, createServer } from 'node:net';

// Runs inside network namespaces: forwards a port of their loopback interface to a Unix socket of the machine.

const [port, path = ''] = process.argv.slice(2);
createServer((inside) => {
  const outside = connect(path);
  inside.pipe(outside).pipe(inside);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
}).listen(Number(port), '127.0.0.1');
