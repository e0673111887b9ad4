import type { PendingChangeCard } from '../../../../engine/approvals/pending-changes.js';
import type { Json } from '../../../../kernel/json/json.js';
import type { ListedSecret } from '../../../../secret-text/secret-list.js';
import type { IdentityMode, Power } from '../function.record.js';
import type { FunctionCardKind } from '../function-changes.js';

type Changed = Pick<PendingChangeCard, 'kind' | 'changes'> & { readonly target: { readonly name: string } };

/** Returns sentences that explain what an approval makes possible. */
export function functionMeans({ kind, target, changes }: Changed): readonly string[] {
  const who = `'${target.name}'`;
  const changeOf = (path: string) => changes.find((change) => change.path === path);
  const powers = changeOf('capabilities');
  const given = powers === undefined ? [] : powerMeans(who, listOf(powers.from), listOf(powers.to));
  switch (kind as FunctionCardKind) {
    case 'function-capabilities':
      return given;
    case 'function-secrets': {
      const secrets = changeOf('secrets');
      return secrets === undefined ? [] : secretMeans(who, secrets.from, secrets.to);
    }
    case 'function-identity-mode':
      return [identityMeans[changeOf('identityMode')?.to as IdentityMode](who)];
    case 'function-access-rules':
      return [`Who may start ${who} changes at once, for the live version and the open draft.`];
    case 'function-publish':
    case 'function-roll-back':
    case 'function-save':
      return [
        ...(changeOf('code') === undefined ? [] : [`Every later run of ${who} runs the code shown here.`]),
        ...given,
      ];
  }
  return [];
}

export function secretMeans(who: string, from: Json, to: Json): readonly string[] {
  const listed = new Map((from as unknown as readonly ListedSecret[]).map((entry) => [entry.name, entry]));
  return (to as unknown as readonly ListedSecret[]).flatMap(({ name, hosts, keyFormat, opened }) => {
    const before = listed.get(name);
    const added = hosts.filter((host) => !before?.hosts.includes(host));
    const beyond = opened && !before?.opened ? ', which the secret itself does not name' : '';
    const isNewKey = keyFormat !== undefined && JSON.stringify(keyFormat) !== JSON.stringify(before?.keyFormat);
    return [
      ...added.map((host) => `${who} may send ${name} to ${host}${beyond}.`),
      ...(before === undefined && hosts.length === 0 ? [`${who} may check signatures with ${name}.`] : []),
      ...(isNewKey ? [`${who} reads the key in ${name} as ${keyFormat.encoding}.`] : []),
    ];
  });
}

function powerMeans(who: string, from: readonly string[], to: readonly string[]): readonly string[] {
  return to.filter((power) => !from.includes(power)).map((power) => powerMay[power as Power](who));
}

const powerMay: Readonly<Record<Power, (who: string) => string>> = {
  service: (who) =>
    `${who} may read and change every row of the sites that it works on, regardless of their access rules.`,
  email: (who) => `${who} may send mail from the workspace's mailboxes to anyone.`,
  env: (who) => `${who} may read and change the settings of the workspace.`,
  users: (who) => `${who} may read and change the app users of the sites that it works on, with their personal data.`,
  entitlements: (who) => `${who} may grant and revoke paid access to the sites that it works on.`,
  social: (who) => `${who} has the power 'social', which has no effect yet.`,
  agents: (who) => `${who} has the power 'agents', which has no effect yet.`,
};

const identityMeans: Readonly<Record<IdentityMode, (who: string) => string>> = {
  workspace: (who) =>
    `When a visitor's page starts ${who}, it may read and change every row of the sites that it works on.`,
  as_set_up: (who) => `${who} follows the visitor's data rules again.`,
};

const listOf = (value: Json) => value as unknown as readonly string[];
