import { slugOf } from '../../../../kernel/text/slug.js';

/** Host labels that the service uses, or that visitors would believe to belong to the service (Q-S15). */
const reserved = new Set(
  'admin api app apps approvals assets audit auth billing blog cdn countersign dashboard dev docs ftp git help host'
    .concat(
      ' imap internal login localhost mail mcp media ns1 ns2 pop preview release releases root server signup smtp',
    )
    .concat(' ssl staging static status support system test vpn webhook webhooks webmail www')
    .split(' '),
);

const longest = 63;

/** `--` is not allowed, because it marks the hosts of apps and previews. */
export function wrongSubdomain(value: string): string | undefined {
  if (value.length < 3 || value.length > longest) return `must have 3 to ${longest} characters`;
  if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])$/.test(value)) {
    return 'must be lower-case letters, digits and hyphens, and begin and end with a letter or digit';
  }
  if (value.includes('--')) return 'must not have two hyphens in a row';
  return reserved.has(value) ? 'is reserved for the service' : undefined;
}

/** 'Café Müller & Co.' becomes `cafe-muller-co`. The label is short enough for a suffix to be appended. */
export function addressLabel(name: string): string {
  const label = slugOf(name, 40);
  return wrongSubdomain(label) === undefined ? label : `site-${label}`.replace(/-$/, '');
}
