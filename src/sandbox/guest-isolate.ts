import ivm from 'isolated-vm';
import { PRELUDE } from './guest/prelude.js';
import { LIMITS } from './limits.js';
import type { FailReason } from './protocol.js';

/** Global that holds the prelude's function in a new context. It is deleted before guest code runs. */
const PRELUDE_NAME = 'prelude';

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

/** Maximum share of an isolate's memory that may be in use after a run. If more is in use, the isolate is replaced. */
const MOST_LEFT = 0.25;

export class GuestIsolate {
  private isolate: ivm.Isolate;
  private readonly sources = new Map<number, string>();
  private readonly scripts = new Map<number, ivm.Script>();

  constructor(private readonly memoryMb: number) {
    this.isolate = this.create();
  }

  /** Must be called before the first run of a program. */
  add(program: number, source: string): void {
    this.sources.set(program, source);
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

  /** @throws the author's SyntaxError if V8 refuses what the parser accepted */
  program(context: ivm.Context, program: number): ivm.Reference {
    let script = this.scripts.get(program);
    if (script === undefined) {
      script = this.isolate.compileScriptSync(this.sources.get(program) ?? '', { filename: 'function' });
      this.scripts.set(program, script);
    }
    return script.runSync(context, { reference: true });
  }

  /**
   * Must be called after each run. Replaces the isolate if the run has left much in it, so that no run has less memory
   * because of earlier ones.
   */
  tidy(): void {
    if (!this.isolate.isDisposed) {
      const { used_heap_size, externally_allocated_size } = this.isolate.getHeapStatisticsSync();
      if (used_heap_size + externally_allocated_size <= this.memoryMb * 1024 * 1024 * MOST_LEFT) return;
    }
    this.dispose();
    this.scripts.clear();
    this.isolate = this.create();
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  private create(): ivm.Isolate {
    return new ivm.Isolate({ memoryLimit: this.memoryMb, snapshot });
  }

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
