import { beforeAll, describe, expect, it } from '@jest/globals';
import { recordedLogs } from './logs.js';
import { recordLog } from './record-log.js';
import { ServiceReplay } from './service-replay.js';
import { type Teller, tellersOf } from './tellers.js';
import { fileNameOf, recordedTellers, type Told, toldBy, write } from './told.js';

/**
 * `RECORD_TOLD=1 npm test -- test/histories/told` adds missing entries and changes none. To accept an intended change,
 * delete the entry from its file first.
 */
const recording = process.env['RECORD_TOLD'] === '1';
/** Maximum number of entries per teller and event type. Each has a different shape. */
const most = 3;

let tellers: readonly Teller[] = [];
const told = new Map<string, Told[]>();

beforeAll(async () => {
  // RECORD_LOG=name records a new log. Use it once, for event types that no log contains.
  if (process.env['RECORD_LOG']) await recordLog(process.env['RECORD_LOG']);
  for (const { name: log, events } of recordedLogs()) {
    const replay = await ServiceReplay.start();
    tellers = tellersOf(replay);
    for (const event of events) {
      const recorded = await replay.takes(event);
      for (const teller of tellers.filter((one) => one.reads(event))) {
        const entries = told.get(teller.name) ?? [];
        const said = JSON.parse(JSON.stringify(await teller.tell(event, recorded))) as unknown;
        entries.push({ log, event: event.id, type: event.type, told: said });
        told.set(teller.name, entries);
      }
    }
    await replay.close();
  }
  if (recording) for (const { name } of tellers) write(name, withNew(name, toldBy(name), told.get(name) ?? []));
}, 300_000);

const isNothing = ({ told }: Told) => told === null || (Array.isArray(told) && told.length === 0);

const shapeOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))]}]`;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const named = 'type' in value && 'stream' in value ? String(value.type) : '';
  return `${named}{${Object.entries(value).map(([key, one]) => (/_|-/.test(key) ? shapeOf(one) : `${key}:${shapeOf(one)}`))}}`;
};

function withNew(name: string, kept: readonly Told[], all: readonly Told[]): readonly Told[] {
  const now = new Map(all.map((one) => [`${one.log} ${one.event}`, one]));
  const entries = isOfModel(name) ? kept.map((one) => widened(one, now.get(`${one.log} ${one.event}`))) : [...kept];
  // Events with an effect come first.
  const ordered = [...all].sort((a, b) => Number(isNothing(a)) - Number(isNothing(b)));
  for (const one of ordered) {
    const alike = entries.filter(({ type }) => type === one.type);
    const isNew = alike.every((other) => shapeOf(other.told) !== shapeOf(one.told));
    if (alike.length < most && isNew) entries.push(one);
  }
  return entries;
}

/** Read models tell documents by collection. Other tellers tell lists or account events. */
const isOfModel = (teller: string) => teller.startsWith('read model ');
type Collections = Readonly<Record<string, unknown>>;

/** A new collection of a read model does not change what it told before. */
function narrowedTo(before: Told, now: Told): Told {
  const kept = Object.entries(now.told as Collections).filter(([name]) => Object.hasOwn(before.told as object, name));
  return { ...now, told: Object.fromEntries(kept) };
}

const widened = (kept: Told, now: Told | undefined): Told =>
  now === undefined ? kept : { ...kept, told: { ...(now.told as Collections), ...(kept.told as Collections) } };

const accepting = (name: string, { log, event }: Told) =>
  `If that is what you mean, old logs will be told so, too: take the event ${event} of the log ${log} out of told/${fileNameOf(name)}.json and run with RECORD_TOLD=1.`;

describe('the recorded past', () => {
  it('is interpreted as when it was recorded, by every saga and every read model', () => {
    for (const { name } of tellers) {
      const now = new Map((told.get(name) ?? []).map((one) => [`${one.log} ${one.event}`, one]));
      for (const entry of toldBy(name)) {
        const again = now.get(`${entry.log} ${entry.event}`);
        try {
          expect(again && isOfModel(name) ? narrowedTo(entry, again) : again).toEqual(entry);
        } catch (error) {
          throw new Error(`${name} tells another past. ${accepting(name, entry)}\n${(error as Error).message}`);
        }
      }
    }
  });

  it('has entries for every existing saga and read model, and for no others', () => {
    expect(recordedTellers()).toEqual(tellers.map(({ name }) => fileNameOf(name)).sort());
  });

  it('has entries for every collection of a read model', () => {
    const missing = [...told].flatMap(([name, entries]) => {
      if (!isOfModel(name)) return [];
      const known = new Map(toldBy(name).map((one) => [`${one.log} ${one.event}`, one.told]));
      const added = entries.flatMap(({ log, event, told: now }) => {
        const before = known.get(`${log} ${event}`);
        return before === undefined
          ? []
          : Object.keys(now as object).filter((one) => !Object.hasOwn(before as object, one));
      });
      return [...new Set(added)].map((member) => `${name}: ${member}`);
    });
    expect(missing).toEqual([]);
  });

  it('has entries for every type of event that one of them reads', () => {
    const missing = tellers.flatMap(({ name, types }) => {
      const known = new Set(toldBy(name).map(({ type }) => type));
      const wanted = types ?? (told.get(name) ?? []).map(({ type }) => type);
      return [...new Set(wanted)].filter((type) => !known.has(type)).map((type) => `${name}: ${type}`);
    });
    expect(missing).toEqual([]);
  });
});
