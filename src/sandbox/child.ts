import { GuestIsolate } from './guest-isolate.js';
import { GuestRun } from './guest-run.js';
import { receive, sendText } from './pipes.js';

/**
 * The process behind the wall, started by the pool with one argument, the memory of an isolate in MB. It serves one
 * run at a time and waits in a blocking read, so it ends by itself when the parent is gone.
 */
const memoryMb = Number(process.argv[2]);
const isolates = new Map<number, GuestIsolate>();
let current: { readonly run: GuestRun; readonly number: number } | undefined;

// The machine's time zone is nobody's business behind the wall.
process.env['TZ'] = 'UTC';
sendText('{"t":"ready"}');

for (let frame = receive(); frame; frame = receive()) {
  let over = false;
  if (frame.t === 'run') {
    for (const id of frame.evict) {
      isolates.get(id)?.dispose();
      isolates.delete(id);
    }
    const isolate = isolates.get(frame.isolate) ?? new GuestIsolate(frame.source ?? '', memoryMb);
    isolates.set(frame.isolate, isolate);
    current = { run: new GuestRun(isolate, frame), number: frame.run };
    over = current.run.start();
  } else if (current?.number === frame.run) {
    // What arrives for an earlier run has crossed its end on the way.
    over = frame.t === 'wake' ? current.run.wake() : current.run.answer(frame.id, frame.ok, frame.text);
  }
  if (!over) continue;
  current?.run.release();
  current = undefined;
  // V8 frees what references held only in a turn of the event loop, which the blocking read never gives it.
  await new Promise(setImmediate);
}
process.exit(0);
