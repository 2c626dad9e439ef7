import { connect, createServer } from 'node:net';

// Inside of network namespaces: a port of loopback that is a Unix socket of the machine.

const [port, path = ''] = process.argv.slice(2);
createServer((inside) => {
  const outside = connect(path);
  inside.pipe(outside).pipe(inside);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
}).listen(Number(port), '127.0.0.1');
