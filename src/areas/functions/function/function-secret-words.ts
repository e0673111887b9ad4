import type { ListedSecret } from '../../../secret-text/secret-list.js';

interface OfSecrets {
  readonly data: { readonly secrets: readonly ListedSecret[] };
}

const most = 5;

export const secretWords = {
  FunctionSecretsGiven: (_: object, { data: { secrets } }: OfSecrets) => `Given secrets: it may use ${listed(secrets)}`,
  FunctionSecretsTaken: (_: object, { data: { secrets } }: OfSecrets) =>
    `Secrets taken: it may still use ${secrets.length === 0 ? 'none' : listed(secrets)}`,
};

function listed(secrets: readonly ListedSecret[]): string {
  const named = secrets.slice(0, most).map(({ name, hosts }) => `${name} ${placesOf(hosts)}`);
  const others = secrets.length > most ? [`${secrets.length - most} more`] : [];
  return [...named, ...others].join(', ');
}

const placesOf = (hosts: readonly string[]) =>
  hosts.length === 0 ? '(to check signatures only)' : `at ${hosts.slice(0, most).join(' and ')}${more(hosts)}`;

const more = ({ length }: readonly string[]) => (length > most ? ` and ${length - most} more` : '');
