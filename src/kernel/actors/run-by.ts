import { isTrigger, type Starter } from '../callers/starter.js';
import { refuse } from '../refusals/kernel.refusals.js';

/**
 * Rules about who may start a function (Automations API, accessRules). `runBy` is null for a function without rules.
 */
export interface RunBy {
  /** `true` or `any` means all pages and `false` none. Ids of pages are possible only for a function of a site. */
  readonly pages: boolean | readonly string[] | 'any';
  readonly functions: readonly string[] | 'any';
  readonly agents: readonly string[] | 'any';
  readonly members?: 'all' | 'admins' | { readonly people: readonly string[] };
}

export interface Startable {
  readonly accessRules: { readonly runBy: RunBy | null };
}

/**
 * Returns words for the starter, such as `the agent Ada`, if it may not start the function, and otherwise undefined.
 * Triggers, automations and flows may always start it.
 */
export function startRefusal({ accessRules: { runBy } }: Startable, starter: Starter): string | undefined {
  if (isTrigger(starter)) return undefined;
  switch (starter.kind) {
    case 'member':
      return memberMay(runBy?.members ?? 'all', starter) ? undefined : `the member ${starter.name}`;
    case 'agent':
      return listed(runBy?.agents, starter.id) ? undefined : `the agent ${starter.name}`;
    case 'function':
      return listed(runBy?.functions, starter.id) ? undefined : `the function ${starter.name}`;
    case 'user':
    case 'visitor':
      return onPage(runBy?.pages, starter.pageId) ? undefined : 'visitors of this page';
    case 'automation':
    case 'flow':
      return undefined;
  }
}

/** @throws Refusal run-not-allowed */
export function checkStarter(fn: Startable & { readonly name: string }, starter: Starter): void {
  const who = startRefusal(fn, starter);
  if (who !== undefined) refuse('run-not-allowed', { name: fn.name, who });
}

export function isNarrower(to: RunBy | null, from: RunBy | null): boolean {
  return (
    isWithin(to?.pages ?? [], from?.pages ?? []) &&
    isWithin(to?.functions ?? [], from?.functions ?? []) &&
    isWithin(to?.agents ?? [], from?.agents ?? []) &&
    areWithin(to?.members ?? 'all', from?.members ?? 'all')
  );
}

function isWithin(to: RunBy['pages'], from: RunBy['pages']): boolean {
  if (from === true || from === 'any' || to === false) return true;
  if (typeof to !== 'object') return false;
  return to.every((id) => typeof from === 'object' && from.includes(id));
}

type Members = NonNullable<RunBy['members']>;

/**
 * A list of people can contain some who are not admins and omit some admins, so neither `admins` nor a list includes
 * the other.
 */
function areWithin(to: Members, from: Members): boolean {
  if (from === 'all' || to === from) return true;
  return typeof to === 'object' && typeof from === 'object' && to.people.every((id) => from.people.includes(id));
}

const listed = (allowed: readonly string[] | 'any' | undefined, id: string) =>
  allowed === 'any' || (allowed?.includes(id) ?? false);

function onPage(allowed: RunBy['pages'] | undefined, pageId: string | null): boolean {
  if (typeof allowed === 'object') return pageId !== null && allowed.includes(pageId);
  return allowed === true || allowed === 'any';
}

function memberMay(
  members: NonNullable<RunBy['members']>,
  { id, role }: { readonly id: string; readonly role: string },
): boolean {
  if (members === 'all') return true;
  if (members === 'admins') return role === 'owner' || role === 'admin';
  return members.people.includes(id);
}
