import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import type { Component } from '../component/component.record.js';
import type { EmailTemplate } from '../email-template/email-template.record.js';
import type { Page } from '../page/page.record.js';
import type { Project } from '../project/project.record.js';
import { contentSettings } from '../snapshot/snapshot.record.js';

export const settingsPath = 'site.json';

/** Message: the path followed by `why`, as in `pages/a.tsx: it is not UTF-8`. */
export class UnfitFile extends Error {
  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(`${path.slice(0, 300)}: ${why}`);
  }
}

export interface SiteRecords {
  readonly project: Project;
  readonly pages: readonly Page[];
  readonly components: readonly Component[];
  readonly templates: readonly EmailTemplate[];
}

const members = {
  pages: ['title', 'description', 'layout', 'isHomePage', 'isDraft'],
  components: ['description', 'type', 'isGlobal'],
  templates: ['name', 'subject', 'description', 'variables'],
} as const;
/** Fields that are missing here are `null` by default, except the name of a template, which is its slug. */
const defaults: JsonObject = { isHomePage: false, isDraft: false, isGlobal: false, type: 'custom', variables: [] };

export type SettingsPart = keyof typeof members;
const parts = Object.keys(members) as readonly SettingsPart[];

type Entries = ReadonlyMap<string, JsonObject>;

const defaultOf = (part: SettingsPart, key: string, name: string): Json =>
  part === 'templates' && name === 'name' ? key : (defaults[name] ?? null);

/**
 * The settings in a `site.json`. A setting of a record that the file omits has its default. The project's settings have
 * none: those that the file omits are left unchanged. Those that are `null` are cleared.
 */
export type SiteSettings = Readonly<Record<SettingsPart, Entries>> & { readonly project: JsonObject };

export const noSettings: SiteSettings = {
  project: {},
  pages: new Map(),
  components: new Map(),
  templates: new Map(),
};

export function siteSettingsOf({ project, pages, components, templates }: SiteRecords): SiteSettings {
  const entries = (part: SettingsPart, records: readonly (readonly [key: string, record: object])[]): Entries =>
    new Map(
      records
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, record]) => [key, picked(record, members[part])]),
    );
  return {
    project: projectSettings(project, contentSettings),
    pages: entries(
      'pages',
      pages.map((one) => [one.path, one]),
    ),
    components: entries(
      'components',
      components.map((one) => [one.name, one]),
    ),
    templates: entries(
      'templates',
      templates.map((one) => [one.slug, one]),
    ),
  };
}

/** The same settings always give the same bytes. */
export function settingsText({ project, ...entries }: SiteSettings): string {
  const whole = { ...project, ...Object.fromEntries(parts.map((part) => [part, Object.fromEntries(entries[part])])) };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/**
 * Whether the settings in `sent` equal those in `now`. Without `wholly`, settings of the project that `sent` omits and
 * entries for records that `now` lacks are ignored. With `wholly`, both are differences.
 */
export function areSameSettings(sent: SiteSettings, now: SiteSettings, wholly = false): boolean {
  const isProjects = Object.entries(now.project).every(([name, value]) =>
    name in sent.project ? same(sent.project[name], value) : !wholly,
  );
  return isProjects && parts.every((part) => isSamePart(part, sent[part], now[part], wholly));
}

function isSamePart(part: SettingsPart, sent: Entries, now: Entries, wholly: boolean): boolean {
  if (wholly && [...sent.keys()].some((key) => !now.has(key))) return false;
  return [...now].every(([key, record]) =>
    members[part].every((name) => same(settingIn(part, key, sent.get(key), name), record[name])),
  );
}

/** Returns all settings of the entry, with the defaults of those that it omits. */
export const wholeEntry = (part: SettingsPart, key: string, entry: JsonObject | undefined): JsonObject =>
  Object.fromEntries(members[part].map((name) => [name, settingIn(part, key, entry, name)]));

/** `null` is the default, too. */
const settingIn = (part: SettingsPart, key: string, entry: JsonObject | undefined, name: string): Json =>
  entry?.[name] ?? defaultOf(part, key, name);

/**
 * Returns the settings of a record that `to` contains, and the defaults of those that only `from` has. A setting that
 * neither contains is not returned and so is left unchanged, because git did not change it.
 */
export function replacedEntry(part: SettingsPart, key: string, from: JsonObject = {}, to: JsonObject = {}): JsonObject {
  const isReset = (name: string) => name in from && !same(settingIn(part, key, from, name), defaultOf(part, key, name));
  const names = members[part].filter((name) => name in to || isReset(name));
  return Object.fromEntries(names.map((name) => [name, settingIn(part, key, to, name)]));
}

export interface ReplacedSettings {
  /** Undefined if nothing was committed yet. */
  readonly committed: SiteSettings | undefined;
  /** As in `replacedEntry`, for all records. */
  readonly from: SiteSettings;
  readonly to: SiteSettings;
}

/** Whether a setting in `now` that differs from the commit would be overwritten by another value. */
export function losesSettings(now: SiteSettings, { committed, from, to }: ReplacedSettings): boolean {
  const losesProjects = Object.entries(to.project).some(([name, value]) => {
    const isCommitted =
      committed !== undefined && (!(name in committed.project) || same(committed.project[name], now.project[name]));
    return !isCommitted && !same(value, now.project[name]);
  });
  const losesRecord = (part: SettingsPart, key: string, record: JsonObject) => {
    const replaced = replacedEntry(part, key, from[part].get(key), to[part].get(key));
    return Object.entries(replaced).some(([name, value]) => {
      const before = settingIn(part, key, committed?.[part].get(key), name);
      return !same(before, record[name]) && !same(value, record[name]);
    });
  };
  return losesProjects || parts.some((part) => [...now[part]].some(([key, record]) => losesRecord(part, key, record)));
}

const same = (one: unknown, other: unknown) => isDeepStrictEqual(one ?? null, other ?? null);

/**
 * @throws UnfitFile if the text is not a valid `site.json`, or has unknown settings. Access rules count as unknown,
 * because files cannot change them.
 */
export function readSettings(text: string): SiteSettings {
  const whole = parsed(text);
  const known: readonly string[] = [...contentSettings, ...parts];
  for (const name of Object.keys(whole)) if (!known.includes(name)) throw unknown(name);
  return {
    project: projectSettings(
      whole,
      contentSettings.filter((name) => Object.hasOwn(whole, name)),
    ),
    pages: entriesIn(whole, 'pages'),
    components: entriesIn(whole, 'components'),
    templates: entriesIn(whole, 'templates'),
  };
}

function entriesIn(whole: JsonObject, part: SettingsPart): Entries {
  const value = Object.hasOwn(whole, part) ? whole[part] : {};
  if (!isJsonObject(value)) throw wrong(`${part} must be an object`);
  return new Map(
    Object.entries(value).map(([key, entry]) => {
      if (!isJsonObject(entry)) throw wrong(`${part}['${key.slice(0, 100)}'] must be an object`);
      for (const name of Object.keys(entry)) {
        if (!(members[part] as readonly string[]).includes(name))
          throw unknown(`${part}['${key.slice(0, 100)}'].${name}`);
      }
      return [key, entry] as const;
    }),
  );
}

function parsed(text: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw wrong('it is not valid JSON');
  }
  return isJsonObject(value) ? value : wrongly('it must be an object');
}

const wrong = (why: string) => new UnfitFile(settingsPath, why);
const unknown = (name: string) => wrong(`${name.slice(0, 200)} is not a setting that a file can change`);

function wrongly(why: string): never {
  throw wrong(why);
}

/**
 * As for `site/updateProject`, an empty description is none. `null` counts as omitted where a setting cannot be cleared.
 */
function projectSettings(from: object, names: readonly string[]): JsonObject {
  const values = Object.entries(picked(from, names)).map(
    ([name, value]) => [name, name === 'description' && value === '' ? null : value] as const,
  );
  return Object.fromEntries(values.filter(([name, value]) => value !== null || isClearable(name)));
}

const isClearable = (name: string) => name === 'description' || name === 'brandKit';

function picked(from: object, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, (from as Readonly<Record<string, Json>>)[name] ?? null]));
}

/** `conflicts` are paths in the file, such as `pages['/'].title`. */
export interface MergedSettings {
  readonly settings: SiteSettings;
  readonly conflicts: readonly string[];
}

type Versions = readonly [was: JsonObject, mine: JsonObject, other: JsonObject];
type ValueIn = (entry: JsonObject, name: string) => Json | undefined;

export function mergeSettings(base: SiteSettings, ours: SiteSettings, theirs: SiteSettings): MergedSettings {
  const conflicts: string[] = [];
  const object = (at: string, [was, mine, other]: Versions, valueIn: ValueIn): JsonObject => {
    const names = [...new Set([...Object.keys(mine), ...Object.keys(other)])];
    const merged = names.map((name) => {
      const [before, ours, theirs] = [valueIn(was, name), valueIn(mine, name), valueIn(other, name)];
      if (isDeepStrictEqual(ours, theirs)) return [name, mine[name] ?? other[name]] as const;
      if (isDeepStrictEqual(before, theirs)) return [name, mine[name]] as const;
      if (isDeepStrictEqual(before, ours)) return [name, other[name]] as const;
      conflicts.push(`${at}${name}`);
      return [name, mine[name]] as const;
    });
    return Object.fromEntries(merged.filter((pair): pair is readonly [string, Json] => pair[1] !== undefined));
  };
  const entries = (part: SettingsPart): Entries => {
    const keys = [...new Set([...ours[part].keys(), ...theirs[part].keys()])].sort();
    return new Map(
      keys.flatMap((key) => {
        const [was, mine, other] = [base[part].get(key), ours[part].get(key), theirs[part].get(key)];
        // An entry that one side removed is removed, unless the other side has changed it.
        if (was !== undefined && (mine === undefined || other === undefined)) {
          return isDeepStrictEqual(was, mine ?? other) ? [] : [[key, mine ?? other ?? {}] as const];
        }
        const valueIn = (entry: JsonObject, name: string) => settingIn(part, key, entry, name);
        return [[key, object(`${part}['${key}'].`, [was ?? {}, mine ?? {}, other ?? {}], valueIn)] as const];
      }),
    );
  };
  const settings = {
    project: object('', [base.project, ours.project, theirs.project], (project, name) => project[name]),
    pages: entries('pages'),
    components: entries('components'),
    templates: entries('templates'),
  };
  return { settings, conflicts };
}
