import ivm from 'isolated-vm';
import { PRELUDE } from './guest/prelude.js';
import type { FailReason } from './protocol.js';

/** An isolate for one function version. The program is compiled once; each run gets its own context. */
export class GuestIsolate {
  private readonly isolate: ivm.Isolate;
  private readonly preludeScript: ivm.Script;
  private programScript: ivm.Script | undefined;

  constructor(
    private readonly source: string,
    memoryMb: number,
  ) {
    this.isolate = new ivm.Isolate({ memoryLimit: memoryMb });
    this.preludeScript = this.isolate.compileScriptSync(PRELUDE, { filename: 'prelude' });
  }

  createContext(): ivm.Context {
    return this.isolate.createContextSync();
  }

  prelude(context: ivm.Context): ivm.Reference {
    return this.preludeScript.runSync(context, { reference: true });
  }

  /** Throws the author's SyntaxError if V8 refuses what the parser accepted. */
  program(context: ivm.Context): ivm.Reference {
    this.programScript ??= this.isolate.compileScriptSync(this.source, { filename: 'function' });
    return this.programScript.runSync(context, { reference: true });
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  /** What an error from a call into the isolate means for the run. */
  failure(error: unknown): { readonly ok: false; readonly reason: FailReason; readonly error: string } {
    const message = error instanceof Error ? error.message : String(error);
    if (this.isolate.isDisposed || message.startsWith('Isolate was disposed'))
      return { ok: false, reason: 'memory', error: 'The function used more memory than it may.' };
    if (message.startsWith('Script execution timed out'))
      return { ok: false, reason: 'timeout', error: 'The function ran longer than its timeout.' };
    const place = /\[function:(\d+):\d+\]$/.exec(message);
    const plain = message.replace(/ \[[^\]]*:\d+:\d+\]$/, '');
    return { ok: false, reason: 'threw', error: place ? `${plain} (line ${place[1]})` : plain };
  }
}
