import { GuestIsolate } from './guest-isolate.js';
import { GuestRun } from './guest-run.js';
import { receive, sendText } from './pipes.js';

/**
 * Started by the pool with the memory of an isolate, in MB, as the only argument. The child waits in a blocking read,
 * so it ends when the parent is gone.
 */
const memoryMb = Number(process.argv[2]);
const isolates = new Map<number, GuestIsolate>();
let current: { readonly run: GuestRun; readonly number: number; readonly isolate: GuestIsolate } | undefined;

// Hides the machine's time zone from guest code.
process.env['TZ'] = 'UTC';
sendText('{"t":"ready"}');

for (let frame = receive(); frame; frame = receive()) {
  let over = false;
  if (frame.t === 'run') {
    for (const id of frame.evict) {
      isolates.get(id)?.dispose();
      isolates.delete(id);
    }
    const isolate = isolates.get(frame.isolate) ?? new GuestIsolate(memoryMb);
    isolates.set(frame.isolate, isolate);
    if (frame.source !== undefined) isolate.add(frame.program, frame.source);
    current = { run: new GuestRun(isolate, frame), number: frame.run, isolate };
    over = current.run.start();
  } else if (current?.number === frame.run) {
    // The parent may send frames for an earlier run before it knows that the run has ended.
    over = frame.t === 'wake' ? current.run.wake() : current.run.answer(frame.id, frame.ok, frame.text);
  }
  if (!over || current === undefined) continue;
  const { run, isolate } = current;
  run.release();
  current = undefined;
  // V8 frees references only in a turn of the event loop, which the blocking read would never allow.
  await new Promise(setImmediate);
  isolate.tidy();
}
process.exit(0);
