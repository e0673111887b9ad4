import type { InjectionToken, Provider } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';

/** How long a stop waits for what is in hand. */
const graceMs = 10_000;
/** For the end of a stop: recording what was ended, and closing the stores. */
const closingMs = 3_000;

/** A port that holds something open. */
export interface Closable {
  /** Waits up to `graceMs` for what is in hand, where there is such a thing. */
  close(graceMs: number): Promise<void>;
}

/** In their order: messages when the work has ended, then runs, then what runs use, and at last what all of it records in. */
export type ClosingStage = 'messages' | 'runs' | 'tools' | 'stores';

/** `by-another`: a port made of this one closes it. */
interface Closes {
  readonly closes: ClosingStage | 'by-another';
}

type PortOf<One> = One extends { readonly provide: abstract new (...args: never[]) => infer Port } ? Port : never;
type Checked<One> = PortOf<One> extends Closable ? One & Closes : One;

/** Providers of ports. One that has to be closed does not compile without `closes`. */
export const portProviders = <const Ports extends readonly Provider[]>(
  ports: {
    readonly [Index in keyof Ports]: Checked<Ports[Index]>;
  },
): Ports => ports as unknown as Ports;

/** The open ports of this process. */
export class Closables {
  private closeBy = Number.POSITIVE_INFINITY;

  constructor(
    private readonly ports: readonly { readonly port: Closable; readonly stage: Closes['closes'] }[],
    private readonly clock: Clock,
  ) {}

  /** Everything has to be closed then: milliseconds since 1970. */
  hurry(by: number): void {
    this.closeBy = Math.min(this.closeBy, by);
  }

  async close(stage: ClosingStage): Promise<void> {
    const grace = Math.max(0, Math.min(graceMs, this.closeBy - this.clock.now() - closingMs));
    await Promise.all(this.ports.filter((one) => one.stage === stage).map(({ port }) => port.close(grace)));
  }
}

const hasToBeClosed = <One extends object>(one: One): one is One & { readonly provide: InjectionToken } & Closes =>
  'closes' in one && one.closes !== 'by-another';

/** The provider of the `Closables` of these ports. */
export function closablesOf(ports: readonly Provider[]): Provider {
  const closing = ports.filter(hasToBeClosed);
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
