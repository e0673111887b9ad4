import type { InjectionToken, Provider } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';

const graceMs = 10_000;
/** At the end of a stop, this time is reserved for recording interrupted work and closing the stores. */
const closingMs = 3_000;

export interface Closable {
  close(graceMs: number): Promise<void>;
}

/** In the order of closing: runs use `tools`, and the ends of runs are recorded in `stores`. */
export type ClosingStage = 'messages' | 'runs' | 'tools' | 'stores';

/** `by-another` marks a port that is closed by the port that wraps it. */
interface Closes {
  readonly closes: ClosingStage | 'by-another';
}

type PortOf<One> = One extends { readonly provide: abstract new (...args: never[]) => infer Port } ? Port : never;
type Checked<One> = PortOf<One> extends Closable ? One & Closes : One;

/** If a port has a method `close`, its provider does not compile without `closes`. */
export const portProviders = <const Ports extends readonly Provider[]>(
  ports: {
    readonly [Index in keyof Ports]: Checked<Ports[Index]>;
  },
): Ports => ports as unknown as Ports;

export class Closables {
  private closeBy = Number.POSITIVE_INFINITY;

  constructor(
    private readonly ports: readonly { readonly port: Closable; readonly stage: Closes['closes'] }[],
    private readonly clock: Clock,
  ) {}

  /** All ports must be closed by this time, in milliseconds since 1970. */
  hurry(by: number): void {
    this.closeBy = Math.min(this.closeBy, by);
  }

  async close(stage: ClosingStage): Promise<void> {
    const grace = Math.max(0, Math.min(graceMs, this.closeBy - this.clock.now() - closingMs));
    await Promise.all(this.ports.filter((one) => one.stage === stage).map(({ port }) => port.close(grace)));
  }
}

const needsClosing = <One extends object>(one: One): one is One & { readonly provide: InjectionToken } & Closes =>
  'closes' in one && one.closes !== 'by-another';

export function closablesOf(ports: readonly Provider[]): Provider {
  const closing = ports.filter(needsClosing);
  return {
    provide: Closables,
    inject: [Clock, ...closing.map(({ provide }) => provide)],
    useFactory: (clock: Clock, ...made: readonly Closable[]) =>
      new Closables(
        closing.flatMap(({ closes: stage }, at) => (made[at] === undefined ? [] : { port: made[at], stage })),
        clock,
      ),
  };
}
