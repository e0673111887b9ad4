import { expect } from '@jest/globals';
import { WorkspaceCreator } from '../../src/areas/workspace/workspace/create-workspace.api.js';
import { type EventFilter, EventStore } from '../../src/ports/event-store.port.js';
import type { TestApp } from './app.js';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly key: string;
  readonly keyId: string;
}

let made = 0;

/** Calls an operation that must succeed, and returns its response. */
export async function done(app: TestApp, operation: string, body: object = {}, key?: string) {
  const reply = await app.call(operation, body, key);
  expect([operation, reply.status, reply.body?.detail]).toEqual([operation, 200, undefined]);
  return reply.body;
}

/** Creates a member and a key for them. */
export async function person(
  app: TestApp,
  role: 'admin' | 'editor' | 'viewer',
  permissions?: string[],
): Promise<Person> {
  const email = `${role}-${made++}@example.com`;
  const grants = permissions === undefined ? {} : { permissions };
  const { id } = await done(app, 'workspace/addMember', { name: `The ${role} ${made}`, email, role, ...grants });
  const { id: keyId, key } = await done(app, 'workspace/createApiKey', { name: 'own', kind: 'person', memberId: id });
  return { id, email, key, keyId };
}

/** Creates a key as the Owner, and returns its text. */
export async function keyOf(app: TestApp, wanted: object): Promise<string> {
  return (await done(app, 'workspace/createApiKey', { name: 'made for a test', ...wanted })).key;
}

/** Returns the workspace's events. Other tests use the same service, so events of other workspaces are left out. */
export async function eventsOf(app: TestApp, filter: EventFilter & { readonly from?: number } = {}) {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  return app.app.get(EventStore, { strict: false }).readAll({ limit: 100_000, ...filter, workspaceId });
}

/** Creates another workspace on the same installation. */
export function otherWorkspace(app: TestApp) {
  return app.app
    .get(WorkspaceCreator, { strict: false })
    .found({ name: 'Other', ownerName: 'Olga', ownerEmail: 'olga@example.org' });
}

/** Creates another workspace on the same installation. Returns the app as its Owner sees it. */
export async function inOtherWorkspace(app: TestApp): Promise<{ readonly own: TestApp; readonly workspaceId: string }> {
  const { ownerKey, workspaceId } = await otherWorkspace(app);
  const call: TestApp['call'] = (operation, body, key = ownerKey, headers = {}) =>
    app.call(operation, body, key, headers);
  return { own: { ...app, ownerKey, call }, workspaceId };
}
