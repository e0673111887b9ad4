import { Injectable } from '@nestjs/common';
import type { Program } from '../../../ports/sandbox.port.js';
import { checkProgram } from '../../../sandbox/program.js';
import type { AccountFunction } from '../function/function.events.js';

/** Programs by function version, so that code is parsed once and not at every run. */
@Injectable()
export class Programs {
  private readonly known = new Map<string, Program>();

  of(fn: AccountFunction, version: string): Program {
    const key = `${fn.id}/${version}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const checked = checkProgram(fn.code);
    if (!checked.ok) throw new Error(`Function ${fn.id} was saved with code that is not accepted now.`);
    if (this.known.size >= 1_000) this.known.clear();
    this.known.set(key, checked.program);
    return checked.program;
  }
}
