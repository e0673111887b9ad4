import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { commandRunner } from '../../../test/support/given/command-runner.js';
import { TextsInMemory } from '../../../test/support/given/texts-in-memory.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import { record } from '../../kernel/record/record.js';
import { type ReadText, referTo, sameText, type Text } from '../../kernel/text/text.js';
import { type NewText, TextsUnavailable } from '../../ports/texts.port.js';
import type { Vault } from '../../ports/vault.port.js';
import { Calls } from '../operation/calls.js';
import { refuse } from '../refusals/engine.refusals.js';
import type { CommandRunner } from './command-runner.js';
import { alongside, type RelatedChange } from './related-changes.js';

interface Page extends Document {
  readonly body: Text;
  readonly notes: Text;
}
type PageEvent =
  | DomainEvent<'PageMade', { readonly body: Text; readonly notes: Text }>
  | DomainEvent<'PageEdited', { readonly body: Text }>;

const pages = record<Page, PageEvent>()({
  category: 'specPage',
  auditedFor: 'workspace.read',
  shownBy: null,
  texts: ['body', 'notes'],
  undoing: 'Nothing of it can be undone.',
  missing: () => refuse('resource-not-found'),
  begins: { PageMade: ({ data }, ids) => ({ ...ids, ...data }) },
  continues: { PageEdited: (page, { data }) => ({ ...page, ...data }) },
});

class WatchedTexts extends TextsInMemory {
  readonly puts: NewText[][] = [];
  away = false;
  recordedAtPut = -1;

  override async put(workspaceId: string, texts: readonly NewText[]): Promise<void> {
    if (this.away) throw new TextsUnavailable('The store of texts is away.');
    this.puts.push([...texts]);
    this.recordedAtPut = await store.head();
    await super.put(workspaceId, texts);
  }
}

const long = (mark: string) => `${mark}\r\n`.repeat(2_000);
const actor = { kind: 'system', id: 'system', name: 'spec' } as const;
let directory: string;
let store: EmbeddedEventStore;
let texts: WatchedTexts;
let calls: Calls;
let runner: CommandRunner;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'record-texts-'));
  store = new EmbeddedEventStore({ directory });
  const clock = new MadeUpClock();
  const ids = new SystemIds(clock);
  calls = new Calls(clock, ids, { derive: (text: string) => text } as Vault);
  texts = new WatchedTexts();
  runner = commandRunner({ events: store, calls, clock, ids, texts });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const make = (body: string, notes = 'short', related: () => readonly RelatedChange[] = () => []) =>
  runner.change(calls.once('ws', actor, 'spec'), {
    aggregate: pages,
    id: 'p',
    begins: true,
    decide: () => [{ type: 'PageMade' as const, data: { body, notes } }],
    alongside: related,
  });
const edit = (
  decide: (page: Page | undefined, read: ReadText) => readonly PageEvent[],
  reads?: (page: Page | undefined) => readonly (Text | undefined)[],
) =>
  runner.change(calls.once('ws', actor, 'spec'), {
    aggregate: pages,
    id: 'p',
    ...(reads === undefined ? {} : { reads }),
    decide,
  });
const bodyIs = (body: string) => () => [{ type: 'PageEdited', data: { body } } as const];

describe('the texts of a record', () => {
  test('are recorded by reference if they are large, and in place if they are short', async () => {
    const page = await make(long('a'));
    const [event] = await store.readAll({ limit: 10 });
    expect(event?.data).toEqual({ body: referTo(long('a')), notes: 'short' });
    expect(page).toMatchObject({ body: referTo(long('a')), notes: 'short' });
    expect([...texts.held.values()]).toEqual([long('a')]);
  });

  test('are stored before the event that names them', async () => {
    await make(long('a'));
    expect(texts.recordedAtPut).toBe(-1);
    await edit(bodyIs(long('b')));
    expect(texts.recordedAtPut).toBe(0);
  });

  test('are stored as a difference from the text of the same field that they replace', async () => {
    await make(long('a'), long('n'));
    await edit(bodyIs(long('b')));
    expect(texts.puts.at(-1)).toEqual([
      { digest: referTo(long('b')).digest, text: long('b'), base: referTo(long('a')).digest },
    ]);
  });

  test('are not stored if the decision refuses or records nothing', async () => {
    await make(long('a'));
    await expect(edit(() => refuse('resource-not-found'))).rejects.toThrow();
    await edit(() => []);
    expect(texts.puts).toHaveLength(1);
  });

  test('are not stored if a related change refuses', async () => {
    const missing = { aggregate: pages, id: 'missing', decide: () => pages.missing() };
    await expect(make(long('a'), 'short', () => [alongside(missing)])).rejects.toThrow();
    expect(texts.puts).toEqual([]);
  });

  test('prevent the event from being recorded while their store is away', async () => {
    await make(long('a'));
    texts.away = true;
    await expect(edit(bodyIs(long('b')))).rejects.toThrow(TextsUnavailable);
    expect(await store.readAll({ limit: 10 })).toHaveLength(1);
    await edit(bodyIs('short'));
    expect(await store.readAll({ limit: 10 })).toHaveLength(2);
  });

  test('are passed to a decision that declares which it reads, and to no other', async () => {
    await make(long('a'));
    const decide = (page: Page | undefined, read: ReadText): readonly PageEvent[] => [
      { type: 'PageEdited', data: { body: `${read(page?.body ?? '')}more` } },
    ];
    await expect(edit(decide)).rejects.toThrow('was not read before');
    const page = await edit(decide, (before) => [before?.body]);
    expect(sameText(page?.body ?? '', `${long('a')}more`)).toBe(true);
  });

  test('that are missing are named in the error, with instructions', async () => {
    await make(long('a'));
    texts.held.clear();
    await expect(
      edit(
        (page, read) => bodyIs(read(page?.body ?? ''))(),
        (page) => [page?.body],
      ),
    ).rejects.toThrow(
      `The text ${referTo(long('a')).digest} is not in the store of texts; restore that store from the same backup as the log.`,
    );
  });
});
