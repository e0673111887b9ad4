// Opens many connections to one host and reports when all are open. Every fourth requests a page and stays open. The
// others send incomplete requests, so the server must close them.
import { once } from 'node:events';
import { connect } from 'node:net';

const [port, host, count] = process.argv.slice(2);
const head = `GET / HTTP/1.1\r\nHost: ${host}\r\n`;
const texts = ['', 'GET / HT', `${head}X-A: `, `${head}\r\n`];
const sockets = [];
let closed = 0;
let answered = 0;

for (let n = 0; n < Number(count); n += 1) {
  const text = texts[n % 4] ?? '';
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
  socket.on('error', () => undefined);
  if (n % 4 === 3) socket.once('data', () => (answered += 1));
  else socket.once('close', () => (closed += 1));
  sockets.push(socket.resume());
  // Waits for each batch, because the system's backlog of pending connections is limited.
  if (n % 200 === 199) await Promise.all(sockets.slice(-200).map((one) => one.connecting && once(one, 'connect')));
}
await Promise.all(sockets.map((one) => one.connecting && once(one, 'connect')));
process.send({ connected: sockets.length });
setInterval(() => process.send({ answered, closed }), 500);
