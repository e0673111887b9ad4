import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';
import { filesHolding } from '../stores/kept-texts.js';

/** A member whose name and email address occur nowhere else. */
export const grace = { name: 'Zyxomma Quillfeather', email: 'Zyx.Quillfeather@example.com', role: 'editor' } as const;
/** A later name of the same member. */
export const later = 'Zyxomma Brambleworth';

/** Names the files below the folder that contain the member's name or email address, in any case. */
export const filesNamingGrace = (folder: string): readonly string[] =>
  ['zyxomma', 'quillfeather', 'brambleworth'].flatMap((text) => filesHolding(folder, text));

/** Creates the member, who does everything that records its actor, also through a client and in runs. */
export async function activeGrace(app: TestApp) {
  const { id } = await done(app, 'workspace/addMember', grace);
  const { key } = await done(app, 'workspace/createApiKey', { name: 'own', kind: 'person', memberId: id });
  const { key: client } = await done(app, 'workspace/createApiKey', {
    name: 'client',
    kind: 'connection',
    memberId: id,
  });
  const code = 'return { name: ctx.run.startedBy.name.length, email: ctx.run.startedBy.email.length }';
  const fn = await done(app, 'automations/createFunction', { name: 'theirs', code }, key);
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  const ran = await done(app, 'automations/invokeFunction', { id: fn.id }, key);
  await done(app, 'automations/createFunction', { name: 'of the client', code: 'return 1' }, client);
  await done(app, 'workspace/createApiKey', { name: 'made by them', kind: 'person', memberId: id }, key).catch(
    () => {},
  );
  return { id, key, client, fn, ran };
}

export const historyOf = async (app: TestApp, kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id })).events as readonly {
    readonly type: string;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every form.
    readonly data: any;
    // biome-ignore lint/suspicious/noExplicitAny: see above.
    readonly actor: any;
  }[];

/** Waits until the member's personal data is erased. Returns the member's history. */
export const erasedMember = (app: TestApp, id: string) =>
  eventually(
    () => historyOf(app, 'member', id),
    ([added]) => added?.data.email === 'erased',
  );
