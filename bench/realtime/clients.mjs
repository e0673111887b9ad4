// Listeners and publishers in a process of their own, controlled by the bench. Times can be compared, because both
// processes use the clock of one machine.
import { once } from 'node:events';
import WebSocket from 'ws';

const channel = 'news';
const now = () => performance.timeOrigin + performance.now();
const sockets = [];
let heard = [];
/** The numbers of received messages, by socket. */
let numbers = [];
let closed = 0;

async function open(url, count, listens) {
  const batch = 100;
  for (let begun = 0; begun < count; begun += batch) {
    const some = Array.from({ length: Math.min(batch, count - begun) }, () => one(url, listens));
    await Promise.all(some);
  }
}

async function one(url, listens) {
  const socket = new WebSocket(url, ['countersign'], { perMessageDeflate: false, skipUTF8Validation: true });
  const at = sockets.push(socket) - 1;
  numbers[at] = [];
  await once(socket, 'open');
  socket.on('close', () => {
    closed += 1;
  });
  const ready = Promise.withResolvers();
  ready.promise.catch(() => undefined);
  socket.on('message', (text) => {
    const said = JSON.parse(text);
    if (said.type === 'subscribed') ready.resolve();
    if (said.type === 'refused' || said.type === 'error') ready.reject(new Error(JSON.stringify(said)));
    if (said.type !== 'message') return;
    heard.push(now() - said.data.at);
    numbers[at].push(said.data.n);
  });
  if (!listens) return;
  socket.send(JSON.stringify({ type: 'subscribe', channel, id: 1 }));
  // The floor sends everything to everyone and answers no subscriptions.
  if (listens === 'asks') await ready.promise;
}

/** Publishes at this rate per second, with the sockets taking turns. */
async function publish(rate, total) {
  const began = performance.now();
  for (let n = 0; n < total; n += 1) {
    const waitMs = began + (n * 1_000) / rate - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const data = { n, at: now(), text: 'A message of a chat, as long as most of them are.' };
    sockets[n % sockets.length].send(JSON.stringify({ type: 'publish', channel, data }));
  }
  return performance.now() - began;
}

/** @param senders - number of senders that take turns, which is the distance between the numbers of one sender */
function report(total, senders) {
  let [lost, doubled, disordered] = [0, 0, 0];
  for (const own of numbers) {
    const different = new Set(own);
    doubled += own.length - different.size;
    lost += total - different.size;
    const last = new Map();
    for (const n of own) {
      if (n < (last.get(n % senders) ?? 0)) disordered += 1;
      last.set(n % senders, n);
    }
  }
  const said = { heard, lost, doubled, disordered, closed };
  heard = [];
  numbers = numbers.map(() => []);
  return said;
}

const tasks = {
  open: ({ url, count, listens }) => open(url, count, listens),
  publish: ({ rate, total }) => publish(rate, total),
  report: ({ total, senders }) => report(total, senders),
  count: () => heard.length,
  close: () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    numbers = [];
  },
};

process.on('message', async ({ id, task, ...about }) => {
  try {
    process.send({ id, answer: await tasks[task](about) });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
