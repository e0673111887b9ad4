// Appends with several writers until it is killed, and prints what was acknowledged.
import { randomUUID } from 'node:crypto';
import { EmbeddedEventStore } from '../../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { acknowledge } from '../../support/acknowledge.mjs';

const [directory, round] = process.argv.slice(2);
const store = new EmbeddedEventStore({ directory });
const event = () => ({ id: randomUUID(), type: 'FunctionEdited', data: { text: 'x'.repeat(300) }, metadata: {} });

async function write(writer) {
  for (let n = 0; ; n += 1) {
    const id = `${round}_${writer}_${n}`;
    await store.append([
      { stream: `left-ws.${id}`, expected: 'none', events: [event(), event()] },
      { stream: `right-ws.${id}`, expected: 'none', events: [event()] },
      { stream: `shared-ws.${writer}`, expected: 'any', events: [event()] },
    ]);
    acknowledge(id);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
