import type { Collection } from 'mongodb';

/** What MongoDB holds of one projection: one document, so that every change of it is one step. */
export interface Keeper {
  /** The projection. */
  readonly _id: string;
  /** The generation that queries read. */
  readonly active?: string;
  readonly builds?: Readonly<Record<string, Rooms>>;
}

export interface Rooms {
  readonly collections: readonly string[];
  /** It is being discarded; its documents may be gone already. */
  readonly leaving?: boolean;
}

/** How long a switch made by another process may go unnoticed, in milliseconds. */
const keptMs = 500;

interface Reading {
  readonly keepers: readonly Keeper[];
  readonly startedAt: number;
}

/** Which builds there are and which of them queries read. Known by heart for half a second at most. */
export class Layout {
  private known: Reading | undefined;
  private running: Promise<Reading> | undefined;
  private next: Promise<Reading> | undefined;

  constructor(private readonly collection: Collection<Keeper>) {}

  async recent(): Promise<readonly Keeper[]> {
    const { known } = this;
    if (known !== undefined && performance.now() - known.startedAt < keptMs) return known.keepers;
    return (await (this.running ?? this.read())).keepers;
  }

  /** As it is now: read after this was called. All who ask while a reading is under way share the one after it. */
  async fresh(): Promise<readonly Keeper[]> {
    const { running } = this;
    if (running === undefined) return (await this.read()).keepers;
    this.next ??= running.then(
      () => this.read(),
      () => this.read(),
    );
    return (await this.next).keepers;
  }

  /** This process has changed it: what was read before, or is being read, does not count any more. */
  forget(): void {
    this.known = undefined;
    this.running = undefined;
  }

  private read(): Promise<Reading> {
    this.next = undefined;
    const startedAt = performance.now();
    const reading = this.collection
      .find({})
      .toArray()
      .then((keepers) => ({ keepers, startedAt }));
    this.running = reading;
    const ended = (known?: Reading) => {
      if (this.running !== reading) return;
      this.running = undefined;
      this.known = known;
    };
    reading.then(ended, () => ended());
    return reading;
  }
}
