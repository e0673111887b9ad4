import type { Projection, Reading } from '../kernel/projection.js';

/** What decides whether a projection reads an event: its stream and its type. */
interface Readable {
  readonly stream: string;
  readonly type: string;
}

/** Every read model of the service, whichever process builds it. */
export class ReadModels {
  /** The read models that an event changes, by type and category. Cached because it is needed at every append. */
  private readonly shown = new Map<string, readonly string[]>();

  constructor(readonly all: readonly Projection[]) {}

  /** Names of the projections that read the event. */
  readersOf({ stream, type }: Readable): readonly string[] {
    const category = categoryOf(stream);
    const key = `${category}/${type}`;
    const known = this.shown.get(key);
    if (known !== undefined) return known;
    const names = this.all.filter(({ reads }) => isRead(reads, category, type)).map(({ name }) => name);
    this.shown.set(key, names);
    return names;
  }

  /** The projection that builds a collection. */
  keeperOf(collection: string): string | undefined {
    return this.all.find(({ collections }) => collection in collections)?.name;
  }

  /** The projection whose documents are the folded records of a stream category. */
  recordsOf(category: string): Projection | undefined {
    return this.all.find(({ recordsOf }) => recordsOf === category);
  }
}

/** Whether a projection reads an event. */
export function reads(reading: Reading, { stream, type }: Readable): boolean {
  return isRead(reading, categoryOf(stream), type);
}

function isRead(reading: Reading, category: string, type: string): boolean {
  return 'types' in reading ? reading.types.includes(type) : reading.categories.includes(category);
}

const categoryOf = (stream: string) => stream.slice(0, stream.indexOf('-'));
