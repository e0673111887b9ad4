// Opens many connections to the realtime endpoint of a site, and reports what happens to them. They take turns: an
// incomplete handshake, a silent WebSocket, an incomplete first frame, and a WebSocket that answers pings but
// subscribes to nothing.
import { once } from 'node:events';
import { connect } from 'node:net';

const [port, path, count] = process.argv.slice(2);
const lines = [
  `GET ${path} HTTP/1.1`,
  `Host: 127.0.0.1:${port}`,
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${Buffer.alloc(16, 7).toString('base64')}`,
];
const half = `${lines.join('\r\n')}\r\n`;
const whole = `${half}\r\n`;
const halfFrame = Buffer.from([0x81, 0xfe, 0x10]);
const ping = Buffer.from([0x89, 0x00]);
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
/** The close code 4000. */
const closedAsIdle = Buffer.from([0x0f, 0xa0]);

const kinds = ['halfOpen', 'silent', 'halfFrame', 'idle'];
const seen = Object.fromEntries(kinds.map((kind) => [kind, { opened: 0, pinged: 0, asIdle: 0, closed: 0 }]));
const sockets = [];

function open(kind) {
  const counts = seen[kind];
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(kind === 'halfOpen' ? half : whole));
  const was = { opened: false, pinged: false };
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    if (!was.opened && data.includes('HTTP/1.1 101 ')) {
      was.opened = true;
      counts.opened += 1;
      if (kind === 'halfFrame') socket.write(halfFrame);
    } else if (data.includes(ping)) {
      if (!was.pinged) counts.pinged += 1;
      was.pinged = true;
      if (kind === 'idle') socket.write(pong);
    } else if (was.opened && data.includes(closedAsIdle)) counts.asIdle += 1;
  });
  socket.once('close', () => (counts.closed += 1));
  return socket;
}

for (let n = 0; n < Number(count); n += 1) {
  sockets.push(open(kinds[n % kinds.length]));
  // Waits for each batch, because the system's backlog of pending connections is limited.
  if (n % 200 === 199) await Promise.all(sockets.slice(-200).map((one) => one.connecting && once(one, 'connect')));
}
await Promise.all(sockets.map((one) => one.connecting && once(one, 'connect')));
process.send({ connected: sockets.length });
setInterval(() => process.send(seen), 500);
