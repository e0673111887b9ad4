import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { allOf } from '../../../test/support/all-of.js';
import { anyJsonObject } from '../../../test/support/any-json.js';
import { isShallow, runs } from '../../../test/support/depth.js';
import { eventOf, forgedEnd, header, small, textsOf } from '../../../test/support/stores/log-lines.js';
import { LogFile } from './log-file.js';
import { LogFileWriter } from './log-file-writer.js';
import {
  blobLine,
  entryLine,
  guard,
  type HeaderLine,
  type LogFileLine,
  sealedBlob,
  sealedEntry,
  textLine,
} from './log-line.js';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-log-'));
  path = join(directory, 'all.ndjson');
});
afterEach(() => rmSync(directory, { recursive: true }));

async function write(lines: readonly LogFileLine[], first: LogFileLine = header) {
  const writer = await LogFileWriter.create(path);
  for (const line of [first, ...lines]) await writer.write(line);
  return writer.finish();
}

async function read() {
  const file = await LogFile.open(path);
  const sections = [file.pruned(), file.events(), file.entries(), file.blobs(), file.texts()];
  const lines = (await Promise.all(sections.map((section) => allOf<LogFileLine>(section)))).flat();
  const { header: first, end } = file;
  await file.close();
  return { lines, header: first, end };
}

const refused = () =>
  read().then(
    () => 'It was not refused.',
    (error: Error) => error.message,
  );
const rawLines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
const forge = (lines: readonly object[]) =>
  writeFileSync(path, lines.map((line) => `${guard(JSON.stringify(line))}\n`).join(''));

describe('an exported log', () => {
  it('returns every line as it was written, with the counts in its last line', async () => {
    const end = await write(small);
    const again = await read();
    expect(textsOf(again.lines)).toEqual(textsOf(small));
    expect(again).toMatchObject({ header, end: { ...end, pruned: 1, events: 3, entries: 2, blobs: 1, texts: 2 } });
  });

  it('is a file of JSON lines readable by its owner only, with no other file beside it', async () => {
    await write(small);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['all.ndjson']);
    expect(rawLines().map((line) => JSON.parse(line).line)).toEqual([
      ...['header', 'pruned', 'event', 'event', 'event', 'entry', 'entry', 'blob', 'text', 'text', 'end'],
    ]);
  });

  it('contains the digest of all lines before the last, and that of the events alone', async () => {
    const end = await write(small);
    const before = rawLines().slice(0, -1);
    expect(end.digest).toBe(
      createHash('sha256')
        .update(before.map((line) => `${line}\n`).join(''))
        .digest('hex'),
    );
    const other = join(directory, 'other.ndjson');
    path = other;
    const events = small.filter(({ line }) => line !== 'entry' && line !== 'blob' && line !== 'text');
    const { eventsDigest, digest } = await write(events, { ...header, upTo: 99 });
    expect([eventsDigest === end.eventsDigest, digest === end.digest]).toEqual([true, false]);
  });

  it('of the former format, without texts and their count, can still be read', async () => {
    const before: HeaderLine = { ...header, format: 'countersign-log-2' };
    const lines = small.filter(({ line }) => line !== 'text');
    const end = await write(lines, before);
    expect(Object.keys(end)).not.toContain('texts');
    expect(await read()).toMatchObject({ header: before, end });
    expect(textsOf((await read()).lines)).toEqual(textsOf(lines));
  });

  it('has no texts in the former format, and none of another workspace', async () => {
    const text = textLine({ workspaceId: 'ws_2', digest: 'cd'.repeat(32), base: null, packed: Buffer.from('packed') });
    const refusedWith = async (first: object) => {
      forge([first, text, forgedEnd([first, text], { texts: 1 })]);
      return refused();
    };
    expect(await refusedWith({ ...header, format: 'countersign-log-2' })).toContain('line 2 is out of order');
    expect(await refusedWith({ ...header, workspaceId: 'ws_1' })).toContain('line 2 has a text of another workspace');
    expect(await refusedWith(header)).toBe('It was not refused.');
  });

  it('never has its name before it is complete, and never replaces a file', async () => {
    const writer = await LogFileWriter.create(path);
    await writer.write(header);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, 'mine');
    await expect(writer.finish()).rejects.toThrow(`${path} already exists; pass a new file.`);
    await writer.abandon();
    await expect(LogFileWriter.create(path)).rejects.toThrow(`${path} already exists; pass a new file.`);
    expect(readdirSync(directory)).toEqual(['all.ndjson']);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('is not written with a gap in a stream', async () => {
    const writer = await LogFileWriter.create(path);
    await writer.write(header);
    await writer.write(eventOf('note-ws_1.a', 0));
    await expect(writer.write(eventOf('note-ws_1.a', 2))).rejects.toThrow(
      'The log changed during the export (the next line has revision 2 of stream note-ws_1.a, but 1 is next)',
    );
    await writer.abandon();
  });

  it('preserves lines that are longer than a read buffer', async () => {
    const long = [eventOf('note-ws_1.a', 0, { text: 'x'.repeat(5_000_000) }), eventOf('note-ws_1.a', 1)];
    await write(long);
    expect(textsOf((await read()).lines)).toEqual(textsOf(long));
  });

  it('preserves sealed entries byte by byte', async () => {
    const every = {
      name: 'a/b/c',
      sealedKey: Buffer.from(Array.from({ length: 256 }, (_, n) => n)),
      sealedValue: Buffer.alloc(0),
    };
    await write([entryLine(every)]);
    const [line] = (await read()).lines;
    expect(line?.line === 'entry' && sealedEntry(line)).toEqual(every);
  });

  it('preserves sealed blobs byte by byte, with their times, sorted by name', async () => {
    const every = { name: 'a/b/c', sealed: Buffer.from(Array.from({ length: 256 }, (_, n) => n)), putAt: 1 };
    await write([blobLine(every), blobLine({ ...every, name: 'a/b/d' })]);
    const [line] = (await read()).lines;
    expect(line?.line === 'blob' && sealedBlob(line)).toEqual(every);
    path = join(directory, 'disordered.ndjson');
    await expect(write([blobLine(every), blobLine(every)])).rejects.toThrow('has blob a/b/c out of order');
  });
});

const anyEvents = fc
  .array(fc.record({ stream: fc.constantFrom('a', 'b', 'c'), data: anyJsonObject, metadata: anyJsonObject }), {
    maxLength: 12,
  })
  .map((drafts) => {
    const revisions = new Map<string, number>();
    return drafts.map(({ stream, data, metadata }) => {
      const revision = revisions.get(stream) ?? 0;
      revisions.set(stream, revision + 1);
      return eventOf(`note-ws_1.${stream}`, revision, data, metadata);
    });
  });

describe('any sequence of events', () => {
  it('is returned byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        rmSync(path, { force: true });
        await write(events);
        expect(textsOf((await read()).lines)).toEqual(textsOf(events));
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a file that was changed is refused', () => {
  it('wherever a byte was changed, with a message that names the line', async () => {
    await write(small);
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(whole);
        changed[at] = (whole[at] ?? 0) ^ change;
        writeFileSync(path, changed);
        const number = whole.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
        const sentence = await refused();
        expect(sentence).toMatch(/^\S+ cannot be imported: [^\n]+\.$/);
        expect(sentence).toContain(`line ${number} `.slice(0, -1));
      }),
      { numRuns: runs(500) },
    );
  });

  it('wherever it is truncated', async () => {
    await write(small);
    const whole = readFileSync(path);
    const all = Array.from(whole.keys());
    const lengths = all.filter(
      (length) => length % (isShallow ? 47 : 7) === 0 || [whole[length - 1], whole[length]].includes(0x0a),
    );
    for (const length of lengths) {
      writeFileSync(path, whole.subarray(0, length));
      const lines = whole.subarray(0, length).filter((byte) => byte === 0x0a).length;
      const atEnd = length > 0 && whole[length - 1] === 0x0a;
      const sentence = await refused();
      if (length === 0) expect(sentence).toBe(`${path} cannot be imported: line 1 is missing: the file is empty.`);
      else if (atEnd) expect(sentence).toBe(`${path} cannot be imported: it is truncated after line ${lines}.`);
      else if (lines > 0) expect(sentence).toBe(`${path} cannot be imported: it is truncated in line ${lines + 1}.`);
      else expect(sentence).toMatch(/line 1( is not the beginning of an exported log)?\.$/);
    }
  });

  it.each([
    ['a line was taken out', (lines: string[]) => lines.toSpliced(5, 1), 'line 10 does not match the lines before it'],
    [
      'a line stands twice',
      (lines: string[]) => lines.toSpliced(3, 0, lines[3] ?? ''),
      'line 5 has revision 7 of stream',
    ],
    [
      'two lines changed places',
      ([a = '', b = '', c = '', d = '', ...rest]: string[]) => [a, b, d, c, ...rest],
      'line 11 does not match',
    ],
    ['a line stands behind the last', (lines: string[]) => [...lines, lines[2] ?? ''], 'line 12 is out of order'],
    [
      'events stand behind vault entries',
      (lines: string[]) => lines.toSpliced(6, 0, lines[4] ?? ''),
      'line 7 is out of order',
    ],
  ])('if %s, although every line is unchanged', async (_, change, sentence) => {
    await write(small);
    writeFileSync(
      path,
      change(rawLines())
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(await refused()).toContain(sentence);
  });

  it.each([
    ['a word that is no log', 'hello\n', 'line 1 is not the beginning of an exported log'],
    ['another JSON file', '{"line":"header"}\n', 'line 1 is not the beginning of an exported log'],
    ['bytes without a line', '\0'.repeat(5_000), 'line 1 is not the beginning of an exported log'],
    [
      'a log of a later version',
      '{"line":"header","format":"countersign-log-9"}\n',
      'line 1 has the format countersign-log-9',
    ],
  ])('if it is %s', async (_, content, sentence) => {
    writeFileSync(path, content);
    expect(await refused()).toContain(sentence);
  });

  it('if it does not exist', async () => {
    expect(await refused()).toBe(`There is no file ${path}.`);
  });

  const event = eventOf('note-ws_1.a', 0);
  it.each<[string, object, string]>([
    ['has no id', { ...event, id: 'nothing' }, 'is not a line of an export'],
    ['says more than an event', { ...event, more: 1 }, 'is not a line of an export'],
    ['says less', { ...event, type: undefined }, 'is not a line of an export'],
    ['names no stream of ours', { ...event, stream: '$settings' }, 'is not a line of an export'],
    ['begins a stream in its middle', { ...event, revision: 3 }, 'has revision 3 of stream note-ws_1.a, but 0 is next'],
    ['is of another workspace', eventOf('note-ws_2.a', 0), 'has stream note-ws_2.a of another workspace'],
  ])('if a line %s, although all its sums are right', async (_, line, sentence) => {
    const lines = [{ ...header, workspaceId: 'ws_1' }, line];
    forge([...lines, forgedEnd(lines, { events: 1 })]);
    expect(await refused()).toBe(`${path} cannot be imported: line 2 ${sentence}.`);
  });

  it('but not if everything is right: the forging above alone is no reason for a refusal', async () => {
    const lines = [{ ...header, workspaceId: 'ws_1' }, event];
    forge([...lines, forgedEnd(lines, { events: 1 })]);
    expect((await read()).lines).toEqual([event]);
  });
});
