import type { SiteClient, SiteReply } from './site-client.js';

/** Returns the hidden fields of the form on a page. */
export const hiddenIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

/** Gets a page, fills in its form and submits it to the page's own path, like a browser without scripts. */
export async function submitForm(
  client: SiteClient,
  address: string,
  filledIn: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<SiteReply> {
  const { text } = await client.get(address);
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
  return postForm(client, action, { ...hiddenIn(text), ...filledIn }, headers);
}

export const postForm = (
  client: SiteClient,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<SiteReply> =>
  client.send(path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      // Browsers send these headers if the page sends no referrer.
      origin: 'null',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
  });
