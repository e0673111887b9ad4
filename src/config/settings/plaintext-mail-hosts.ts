import { canonicalHost } from '../../kernel/text/host-name.js';

/**
 * Passwords and mails are sent to these servers unencrypted, so each must be named, without wildcards and ranges.
 * @throws Error with a sentence
 */
export function plaintextMailHosts(text: string | undefined): readonly string[] {
  if (!text) return [];
  return text.split(',').map((part) => {
    const entry = part.trim();
    const host = entry.includes('*') ? undefined : canonicalHost(entry);
    if (host !== undefined) return host;
    throw new Error(
      `SMTP_PLAINTEXT_ALLOW must be a list of hosts and addresses, like mailcatcher,10.1.2.3: '${entry}' is neither.`,
    );
  });
}
