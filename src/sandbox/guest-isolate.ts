import ivm from 'isolated-vm';
import { PRELUDE } from './guest/prelude.js';
import { LIMITS } from './limits.js';
import type { FailReason } from './protocol.js';

/** Name of the prelude's global, which is deleted from each context before guest code runs. */
const PRELUDE_NAME = 'prelude';

/**
 * A run that does nothing. The snapshot contains the compiled code of the functions that it calls, and no other state.
 */
const WARM_UP = `${PRELUDE_NAME}(
  ${JSON.stringify(JSON.stringify(LIMITS))}, () => true, '{}',
  '{"run":{},"sites":{"a":"a"},"secrets":{"seal":""},"limits":{"databaseCalls":{"max":1,"used":0}}}',
  '["fetch","functions.run","sites.tables.readAll"]', true
)('program', async () => null)`;

/**
 * Isolates created from this snapshot already contain the compiled prelude, which saves a third of the cost of a new
 * isolate.
 */
const snapshot = ivm.Isolate.createSnapshot(
  [{ code: `globalThis.${PRELUDE_NAME} = ${PRELUDE}`, filename: 'prelude' }],
  WARM_UP,
);

/** An isolate for one version of a function. The program is compiled once, and each run gets a context of its own. */
export class GuestIsolate {
  private readonly isolate: ivm.Isolate;
  private programScript: ivm.Script | undefined;

  constructor(
    private readonly source: string,
    memoryMb: number,
  ) {
    this.isolate = new ivm.Isolate({ memoryLimit: memoryMb, snapshot });
  }

  createContext(): ivm.Context {
    return this.isolate.createContextSync();
  }

  prelude(context: ivm.Context): ivm.Reference {
    const { global } = context;
    const prelude = global.getSync(PRELUDE_NAME, { reference: true });
    global.deleteSync(PRELUDE_NAME);
    return prelude;
  }

  /** Returns the program in a context. Throws the author's SyntaxError if V8 refuses what the parser accepted. */
  program(context: ivm.Context): ivm.Reference {
    this.programScript ??= this.isolate.compileScriptSync(this.source, { filename: 'function' });
    return this.programScript.runSync(context, { reference: true });
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  /** Converts an error from a call into the isolate to the failure of the run. */
  failure(error: unknown): { readonly ok: false; readonly reason: FailReason; readonly error: string } {
    const message = error instanceof Error ? error.message : String(error);
    if (this.isolate.isDisposed || message.startsWith('Isolate was disposed'))
      return { ok: false, reason: 'memory', error: 'The function used more memory than it may.' };
    if (message.startsWith('Script execution timed out'))
      return { ok: false, reason: 'timeout', error: 'The function ran longer than its timeout.' };
    const position = /\[function:(\d+):\d+\]$/.exec(message);
    const plain = message.replace(/ \[[^\]]*:\d+:\d+\]$/, '');
    return { ok: false, reason: 'threw', error: position ? `${plain} (line ${position[1]})` : plain };
  }
}
