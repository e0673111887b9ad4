import type { Projection, Reading } from '../../kernel/record/projection.js';
import { declareRead } from '../../kernel/record/understanding.js';

interface Readable {
  readonly stream: string;
  readonly type: string;
}

export interface Area {
  /** `area:` followed by the area's name, as on the command line. */
  readonly name: string;
  readonly projections: readonly Projection[];
}

export const areaNameOf = (area: string): string => `area:${area}`;

/** Name of the lease for building a read model, or for building all read models of its area. */
export const readModelDuty = ({ name, area }: Pick<Projection, 'name' | 'area'>): string =>
  `read-model/${area === undefined ? name : areaNameOf(area)}`;

export class ReadModels {
  private readonly readers: Readers<Projection>;
  readonly alone: readonly Projection[];
  readonly areas: readonly Area[];
  private readonly duties: ReadonlyMap<string, string>;
  private readonly categories: ReadonlyMap<string, string>;
  private readonly builders: ReadonlyMap<string, string>;

  constructor(readonly all: readonly Projection[]) {
    this.readers = new Readers(all, ({ reads }) => reads);
    this.alone = all.filter(({ area }) => area === undefined);
    this.areas = [...Map.groupBy(all, ({ area }) => area)].flatMap(([area, projections]) =>
      area === undefined ? [] : [{ name: areaNameOf(area), projections }],
    );
    for (const { reads } of all) if ('types' in reads) declareRead(reads.types);
    this.categories = new Map(
      all.flatMap(({ collections, recordsOf }) =>
        recordsOf === undefined ? [] : Object.keys(collections).map((name) => [name, recordsOf] as const),
      ),
    );
    this.builders = new Map(
      all.flatMap(({ name, collections }) => Object.keys(collections).map((collection) => [collection, name] as const)),
    );
    this.duties = new Map(all.map((one) => [one.name, readModelDuty(one)]));
  }

  dutyOf(projection: string): string {
    return this.duties.get(projection) ?? readModelDuty({ name: projection });
  }

  readersOf(event: Readable): readonly string[] {
    return this.readers.of(event).map(({ name }) => name);
  }

  categoryOf(collection: string): string | undefined {
    return this.categories.get(collection);
  }

  builderOf(collection: string): string | undefined {
    return this.builders.get(collection);
  }

  recordsOf(category: string): Projection | undefined {
    return this.all.find(({ recordsOf }) => recordsOf === category);
  }
}

/** Every event is looked up, so results are cached by category and type. */
export class Readers<Reader> {
  private readonly known = new Map<string, readonly Reader[]>();

  /** @param readingOf returns the events that a reader reads; undefined means all events */
  constructor(
    private readonly all: readonly Reader[],
    private readonly readingOf: (reader: Reader) => Reading | undefined,
  ) {}

  of({ stream, type }: Readable): readonly Reader[] {
    const category = categoryOf(stream);
    const key = `${category}/${type}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const found = this.all.filter((reader) => {
      const reading = this.readingOf(reader);
      return reading === undefined || isRead(reading, category, type);
    });
    this.known.set(key, found);
    return found;
  }
}

/** Returns the events that at least one of the projections reads. Undefined means all events. */
export function readingOf(projections: readonly Projection[]): Reading | undefined {
  const [only, ...others] = projections;
  if (only === undefined || others.length === 0) return only?.reads;
  const types = projections.map(({ reads }) => ('types' in reads ? reads.types : undefined));
  return types.includes(undefined) ? undefined : { types: [...new Set(types.flatMap((some) => some ?? []))] };
}

export function reads(reading: Reading, { stream, type }: Readable): boolean {
  return isRead(reading, categoryOf(stream), type);
}

function isRead(reading: Reading, category: string, type: string): boolean {
  return 'types' in reading ? reading.types.includes(type) : reading.categories.includes(category);
}

const categoryOf = (stream: string) => stream.slice(0, stream.indexOf('-'));
