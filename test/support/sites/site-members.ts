import type { TestApp } from '../app.js';
import { PageClient } from './page-client.js';
import type { SiteClient, SiteReply } from './site-client.js';

export function pathOf(address: string | undefined | null): string {
  const { pathname, search } = new URL(address ?? '');
  return `${pathname}${search}`;
}

/** Returns the browser of a member who has signed in to the service. */
export async function signedInMember(app: TestApp, key = app.ownerKey): Promise<PageClient> {
  const member = new PageClient(app);
  await member.signIn(key);
  return member;
}

/** Follows the redirects between the site's host and the service, and returns the final page. */
export async function entersSite(client: SiteClient, member: PageClient, path = '/'): Promise<SiteReply> {
  const asked = await client.get(path);
  if (asked.status !== 303) throw new Error(`${path} answered ${asked.status} and led to no sign-in.`);
  const { headers } = await member.get(pathOf(asked.headers.location));
  const led = new URL(headers.get('location') ?? '');
  if (led.host !== client.host) throw new Error(`The sign-in led to ${led.host}.`);
  return client.get(pathOf(led.href));
}
