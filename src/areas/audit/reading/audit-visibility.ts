import type { Caller, Permission } from '../../../kernel/caller.js';

/** What one has to be allowed to see of a kind of resource, to see what became of it. */
const neededFor: Readonly<Record<string, Permission>> = {
  workspace: 'workspace.read',
  credits: 'workspace.read',
  member: 'workspace.read',
  agent: 'workspace.read',
  function: 'functions.read',
  webhook: 'functions.edit',
  mailhook: 'functions.edit',
  flow: 'functions.read',
  envVar: 'functions.read',
  appSetting: 'functions.read',
  // Host, user and what went wrong stand in its events.
  mailAccount: 'mailboxes.manage',
  mailDefault: 'functions.read',
  pendingChange: 'functions.read',
  accountEvent: 'functions.read',
  eventTrigger: 'functions.read',
  apiKey: 'keys.manage',
};

/** Owner and Admin, and who was granted it, read all; anybody else what concerns resources they may see. */
export function maySee(caller: Caller | undefined, kind: string): boolean {
  if (caller === undefined) return false;
  if (caller.permissions.has('audit.read')) return true;
  const needed = neededFor[kind];
  return needed !== undefined && caller.permissions.has(needed);
}

export const kindsSeen = (caller: Caller | undefined): readonly string[] | 'all' =>
  caller?.permissions.has('audit.read') ? 'all' : Object.keys(neededFor).filter((kind) => maySee(caller, kind));
