import { isDeepStrictEqual } from 'node:util';
import { findOperation } from '../../../engine/operation/operation.js';
import { inputOf } from '../../../engine/operation/validation.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { Text } from '../../../kernel/text/text.js';
import { components } from '../component/component.record.js';
import { emailTemplates } from '../email-template/email-template.record.js';
import { homePath, type Page, pages, ruleOfFlags } from '../page/page.record.js';
import { type ContentKind, type ContentRecord, contentKindOf } from '../snapshot/content-kinds.api.js';
import { changesNothing, type PlannedChange } from '../snapshot/content-plan.api.js';
import type { ContentAtPath } from '../snapshot/past-content.api.js';
import { contentLimit } from '../snapshot/snapshot.record.js';
import { movedPages } from './moved-pages.js';
import { replacedEntry, type SiteSettings, UnfitFile } from './settings-file.js';
import { type FileKind, type FilePlace, movedEntry, type RequestedFile, settingsParts } from './site-files.js';
import type { WorkingTree } from './working-trees.js';

/**
 * Records as they last were under the key of a file that the site does not have. Keyed by the file's path. They may have
 * other keys now.
 */
export type EarlierRecords = ReadonlyMap<string, readonly ContentAtPath[]>;

export interface PlannedContent {
  readonly files: readonly RequestedFile[];
  readonly settings: SiteSettings;
  /** The settings that `settings` replaces, as `from` of `replacedEntry`. */
  readonly replaced: SiteSettings;
  readonly earlier: EarlierRecords;
  /**
   * Ids of pages that must not become the home page, although `site.json` marks them so. The project already has an
   * inactive home page, which has no file and therefore must not be changed.
   */
  readonly displacing: ReadonlySet<string>;
  textOf(id: string): string;
  newId(prefix: string): string;
}

const prefixes = { page: 'page', component: 'comp', emailTemplate: 'tpl' } as const;
const keys = { page: 'path', component: 'name', emailTemplate: 'slug' } as const;
const updates = {
  page: 'site/updatePage',
  component: 'site/updateComponent',
  emailTemplate: 'site/updateEmailTemplate',
} as const;

export const fileKeyOf = (kind: FileKind, record: ContentRecord): string => String(record[keys[kind] as never]);

/** Returns the record that was deleted last. A new file with its key restores it, a page with its access rules. */
export function formerRecord(earlier: readonly ContentAtPath[]): ContentRecord | undefined {
  const deleted = earlier.filter((one) => one.deleted !== undefined);
  return deleted.toSorted((one, other) => (other.deleted ?? 0) - (one.deleted ?? 0))[0]?.record;
}

/**
 * Plans the changes that make the site equal to the files. Access rules, which files do not contain, do not change,
 * except that only the owner can read, until a member changes the rules:
 * - new pages, if the same change deletes a restricted page, which they might replace;
 * - a page with a new path and a new text, if another page was restricted when it last had the path, because the text
 *   might be from that page.
 * @throws UnfitFile
 */
export function plannedChanges(working: WorkingTree, target: PlannedContent): readonly PlannedChange[] {
  const { workspaceId, id: projectId } = working.records.project;
  const gone = new Map(recordsOf(working).map(([place, record]) => [placeKey(place), { place, record }]));
  const made: RequestedFile[] = [];
  const changes: PlannedChange[] = [];
  const change = (file: RequestedFile, now: ContentRecord | undefined, from: ContentRecord, entries: OtherEntries) => {
    const kind = contentKindOf(file.kind) as ContentKind;
    const to = withFile(from, file, entries, target);
    changes.push({ kind, workspaceId, id: from.id, now, to });
  };
  for (const file of target.files) {
    const found = gone.get(placeKey(file));
    gone.delete(placeKey(file));
    if (found === undefined) made.push(file);
    else change(file, found.record, found.record, { replaces: entryIn(target.replaced, file) });
  }
  const goneRecords = [...gone.values()];
  const moved = movedPages(
    made.filter(({ kind }) => kind === 'page'),
    goneRecords.filter(({ place }) => place.kind === 'page').map(({ record }) => record),
    target.textOf,
  );
  const movedIds = new Set([...moved.values()].map(({ id }) => id));
  const deleted = goneRecords.filter(({ record }) => !movedIds.has(record.id));
  const closes = deleted.some(({ record }) => isRestricted(record));
  for (const file of made) {
    const before = moved.get(file.key);
    const earlier = target.earlier.get(file.path) ?? [];
    const former = formerRecord(earlier);
    const guarded = (record: ContentRecord, text?: string) => {
      const wasClosed = earlier.some((one) => one.record.id !== record.id && isRestricted(one.record));
      return wasClosed && file.text !== text ? { ...record, ...onlyForOwner } : record;
    };
    if (before !== undefined) {
      const there = guarded({ ...before, path: file.key }, target.textOf(before.id));
      change(file, before, there, ofMoved(file, fileKeyOf('page', before), target));
    } else if (former !== undefined) {
      const again = file.kind === 'page' ? { ...former, active: true, isHomePage: false } : former;
      change(file, undefined, guarded(again, target.textOf(former.id)), {
        replaces: { ...former } as unknown as JsonObject,
      });
    } else {
      const created = newRecord(file, { workspaceId, projectId, newId: target.newId });
      const isClosed = closes && file.kind === 'page';
      change(file, undefined, guarded(isClosed ? { ...created, ...onlyForOwner } : created), {});
    }
  }
  for (const { place, record } of deleted) {
    changes.push({
      kind: contentKindOf(place.kind) as ContentKind,
      workspaceId,
      id: record.id,
      now: record,
      to: undefined,
    });
  }
  return changes.filter((one) => !changesNothing(one));
}

/** What else than the entry of its file determines the settings of a record. */
interface OtherEntries {
  readonly replaces?: JsonObject | undefined;
  /** Applies if the file has no entry. */
  readonly former?: JsonObject | undefined;
}

/** If git moved a page, and `site.json` has an entry only for its former path, that entry applies. */
function ofMoved(file: FilePlace, path: string, { settings, replaced }: PlannedContent): OtherEntries {
  const former = entryIn(settings, file, path);
  return {
    replaces: entryIn(replaced, file, path),
    former: former === undefined ? undefined : movedEntry(former),
  };
}

const entryIn = (settings: SiteSettings, { kind, key }: FilePlace, at = key): JsonObject | undefined =>
  settings[settingsParts[kind]].get(at);

const placeKey = ({ kind, key }: FilePlace) => `${kind} ${key}`;

function recordsOf({ records }: WorkingTree): readonly (readonly [FilePlace, ContentRecord])[] {
  const pairs = (kind: FileKind, all: readonly object[]) =>
    all.map((one) => [{ kind, key: fileKeyOf(kind, one as ContentRecord) }, one as ContentRecord] as const);
  return [
    ...pairs('page', records.pages),
    ...pairs('component', records.components),
    ...pairs('emailTemplate', records.templates),
  ];
}

const onlyForOwner: Pick<Page, 'isProtected' | 'requiredRole' | 'accessRules'> = {
  isProtected: true,
  requiredRole: null,
  accessRules: {},
};

function isRestricted(record: ContentRecord): boolean {
  const { isProtected, accessRules } = record as Partial<Pick<Page, 'isProtected' | 'accessRules'>>;
  if (isProtected === true) return true;
  return accessRules != null && !isDeepStrictEqual(accessRules.read, openToAll);
}

const openToAll = ruleOfFlags({ isProtected: false, requiredRole: null });

interface NewRecord {
  readonly workspaceId: string;
  readonly projectId: string;
  newId(prefix: string): string;
}

function newRecord(file: RequestedFile, { workspaceId, projectId, newId }: NewRecord): ContentRecord {
  const ids = { id: newId(prefixes[file.kind]), workspaceId, updatedAt: '' };
  const content = '';
  const name = (file.key.split('/').findLast((one) => one !== '') ?? 'Home').slice(0, 100);
  switch (file.kind) {
    case 'page': {
      const [created] = pages.created({ projectId, name, path: file.key, title: null, description: null, content });
      return { ...ids, ...facts(created) };
    }
    case 'component':
      return { ...ids, ...facts(components.created({ projectId, name: file.key, description: null, content })[0]) };
    case 'emailTemplate': {
      const [created] = emailTemplates.created({
        projectId,
        name,
        slug: file.key,
        subject: null,
        description: null,
        content,
      });
      return { ...ids, ...facts(created) };
    }
  }
}

function facts(event: { readonly data: object } | undefined): Omit<ContentRecord, 'id' | 'workspaceId' | 'updatedAt'> {
  const { message: _, ...data } = (event?.data ?? {}) as { readonly message?: string };
  return data as Omit<ContentRecord, 'id' | 'workspaceId' | 'updatedAt'>;
}

/**
 * Returns the record with the values of the file, which must be valid input for the record's update operation.
 * @throws UnfitFile
 */
function withFile(
  record: ContentRecord,
  file: RequestedFile,
  { replaces, former }: OtherEntries,
  { settings, displacing }: PlannedContent,
): ContentRecord {
  const entry = entryIn(settings, file) ?? former;
  const values = replacedEntry(settingsParts[file.kind], file.key, replaces, entry);
  const text = file.text === undefined ? {} : { content: file.text };
  judge(file, { ...values, ...text });
  if (values['isHomePage'] === true && file.key !== homePath) {
    throw new UnfitFile('site.json', `the home page is at '/', not at '${file.key}'`);
  }
  const hasMark = (record as { readonly isHomePage?: boolean }).isHomePage === true;
  const losesMark = displacing.has(record.id) || (hasMark && file.key !== homePath);
  const home = losesMark ? { isHomePage: false } : {};
  return { ...record, [keys[file.kind]]: file.key, ...values, ...text, ...home } as ContentRecord;
}

function judge(file: RequestedFile, values: JsonObject): void {
  if (file.text !== undefined && Buffer.byteLength(file.text) > contentLimit) {
    throw new UnfitFile(file.path, `it is larger than ${contentLimit / 1024 / 1024} MB`);
  }
  const shape = findOperation(updates[file.kind])?.input;
  if (shape === undefined) throw new Error(`There is no operation ${updates[file.kind]}.`);
  // An empty field is `null` in the file, but must be omitted from the input of an operation.
  const sent = Object.entries(values).filter(([, value]) => value !== null);
  const body = { id: 'a', ...Object.fromEntries(sent), [keys[file.kind]]: file.key };
  try {
    inputOf(shape as new () => object, body);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new UnfitFile(file.path, error.message.replace(/\.$/, ''));
  }
}

export const recordContent = (record: ContentRecord): Text => (record as unknown as { readonly content: Text }).content;
