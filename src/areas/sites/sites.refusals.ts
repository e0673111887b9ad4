import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { secretsRefusals } from '../secrets/secrets.refusals.js';
import { sourceControlRefusals } from './source-control/source-control.refusals.js';

export const sitesRefusals = {
  ...sourceControlRefusals,
  'roles-unknown': invalid(
    eachCall,
    (about: { roleIds: readonly string[] }) =>
      `This site has no role ${about.roleIds.join(', ')}; listProjectRoles lists its roles. Nothing was changed.`,
  ),
  'app-settings-full': refusal(
    'conflict',
    (about: { limit: number }) =>
      `The workspace has ${about.limit} settings, which is the limit; remove one by setting it to null.`,
  ),
  'site-file-not-found': refusal('not-found', () => 'The site has no such file; ctx.files.list lists its files.'),
  'site-files-full': refusal(
    'limited',
    (about: { limit: number }) => `The site has ${about.limit} files, which is the limit; delete some first.`,
  ),
  'public-files-full': refusal(
    'limited',
    (about: { gigabytes: number }) =>
      `The public files of a site may have at most ${about.gigabytes} GB together, and this file would exceed that; delete one with deletePublicFile.`,
  ),
  'public-file-not-found': refusal(
    'not-found',
    (about: { path: string }) =>
      `The site has no public file at '${about.path}'; listPublicFiles lists its public files.`,
  ),
  'file-link-not-found': refusal(
    'not-found',
    () => 'This link leads to no file: it is invalid, its 15 minutes are over, or the file was deleted.',
  ),
  'upload-link-not-found': refusal(
    'not-found',
    () => 'Nothing can be uploaded with this link: it is invalid, its 15 minutes are over, or it was used.',
  ),
  'upload-link-used': refusal(
    'conflict',
    () => 'A file is already being uploaded with this link; each link accepts one file.',
  ),
  'file-size-differs': invalid(
    '',
    (about: { size: number }) => `The link was created for a file of exactly ${about.size} bytes; nothing was stored.`,
  ),
  'site-page-not-found': refusal(
    'not-found',
    () => 'There is no such page in this workspace; listPages lists the pages of a site.',
  ),
  'page-path-taken': refusal(
    'conflict',
    (about: { path: string }) =>
      `Another page is now active at '${about.path}'; make that page inactive or give it another path first.`,
  ),
  'home-page-taken': refusal(
    'conflict',
    () => 'Another page is now the home page of the site; give that page another path first.',
  ),
  'component-not-found': refusal(
    'not-found',
    () => 'There is no such component in this workspace; listComponents lists the components of a site.',
  ),
  'component-name-taken': refusal(
    'conflict',
    (about: { name: string }) =>
      `The site already has a component named '${about.name}'; choose another name, or update that component.`,
  ),
  'email-template-not-found': refusal(
    'not-found',
    () => 'There is no such email template in this workspace; listEmailTemplates lists the templates of a site.',
  ),
  'template-slug-taken': refusal(
    'conflict',
    (about: { slug: string }) =>
      `The site already has an email template with the slug '${about.slug}'; choose another slug, or update that template.`,
  ),
  'snapshot-not-found': refusal(
    'not-found',
    () => 'There is no such snapshot in this project; listSnapshots lists the snapshots.',
  ),
  'edit-changes-nothing': invalid(
    'newString',
    () => 'newString is the same as oldString, so nothing would change; send another newString.',
  ),
  'no-match': refusal(
    'conflict',
    () =>
      'The text does not contain oldString, byte for byte; `nearby` is the text that comes closest. Nothing was changed.',
  ),
  'not-unique': refusal(
    'conflict',
    (about: { count: number }) =>
      `The text contains oldString ${about.count} times; include more of the surrounding text, or send replaceAll true. Nothing was changed.`,
  ),
  'pattern-not-supported': invalid(
    'pattern',
    (about: { why: string }) => `The pattern ${about.why}; search for something simpler, or for plain text.`,
  ),
  'pattern-too-large': refusal(
    'too-large',
    () => 'This pattern repeats too much for a text of this length; repeat less, or search for a part of it.',
  ),
  'search-given-up': refusal(
    'unavailable',
    () => 'The search took too long and was aborted; send the call again later.',
  ),
  'content-changed-since': refusal(
    'conflict',
    () =>
      'The content has changed since the version that baseContentHash identifies; read it again and apply your change to that.',
  ),
  'content-too-large': refusal(
    'too-large',
    (about: { limit: number }) => `The content is larger than ${about.limit} bytes; split it up.`,
  ),
  'plan-limit': refusal(
    'forbidden',
    (about: { plan: string; what: string; upgradeUrl: string }) =>
      `The plan ${about.plan} includes ${about.what}; change the plan at ${about.upgradeUrl}.`,
  ),
  'dependencies-refused': invalid(
    eachCall,
    (about: { list: string }) =>
      `These packages cannot be dependencies of a site: ${about.list}. Nothing was changed; send the set again without all of them.`,
  ),
  'custom-field-invalid': invalid(
    eachCall,
    (about: { wrong: string }) => `authCustomFields: ${about.wrong}. Nothing was changed.`,
  ),
  'auth-path-invalid': invalid(
    eachCall,
    (about: { key: string; wrong: string }) => `authPaths: '${about.key}' ${about.wrong}. Nothing was changed.`,
  ),
  'auth-mailbox-unknown': invalid(
    'authMailAccount',
    (about: { name: string }) =>
      `authMailAccount: there is no active mailbox named '${about.name}' that this site may use; listMailAccounts lists the mailboxes, and null selects the platform's sender. Nothing was changed.`,
  ),
  'template-not-found': refusal(
    'not-found',
    () => 'There is no such email template in this site; null selects the built-in template. Nothing was changed.',
  ),
  'dependencies-unresolvable': invalid(
    'id',
    (about: { why: string }) =>
      `The dependencies cannot be resolved: ${about.why}. Nothing was changed; change them with updateProject and send the call again.`,
  ),
  'registry-away': refusal(
    'unavailable',
    (about: { why: string }) =>
      `The packages cannot be fetched from the registry at present: ${about.why}. Nothing was changed; send the call again later.`,
  ),
  'publish-running': refusal(
    'conflict',
    () => 'A publish of this site is already in progress; getPublishStatus shows its progress. Nothing was changed.',
  ),
  'release-exists': refusal(
    'conflict',
    (about: { version: string }) =>
      `The site already has the release ${about.version}, and releases never change; choose another version.`,
  ),
  'releases-full': refusal(
    'limited',
    (about: { limit: number }) => `The site has ${about.limit} releases, which is the limit.`,
  ),
  'site-not-published': refusal('conflict', () => 'The site is not published, so there is nothing to unpublish.'),
  'deployment-not-found': refusal(
    'not-found',
    (about: { retained: number }) =>
      `There is no such deployment that can be made live; only the ${about.retained} newest that were built can be. listDeployments lists them.`,
  ),
  'subdomain-taken': refusal(
    'conflict',
    (about: { subdomain: string }) => `The subdomain '${about.subdomain}' belongs to another site; choose another one.`,
  ),
  'site-env-var-not-found': refusal(
    'not-found',
    () => 'There is no such environment variable in this workspace; listEnvVars lists the variables of a site.',
  ),
  'site-env-var-exists': refusal(
    'conflict',
    (about: { name: string }) =>
      `This site already has an environment variable ${about.name}; change it with updateEnvVar, or choose another name.`,
  ),
  'payment-variable-by-admin': refusal(
    'forbidden',
    (about: { name: string }) =>
      `${about.name} decides where the site's money goes, so only the Owner and Admins, in person, can set, change and delete variables whose names begin with PAYMENT_; ask one of them.`,
  ),
  'secret-hosts-by-admin': refusal(
    'forbidden',
    () =>
      'Only the Owner and Admins, in person, can add allowed hosts to a variable; omit allowedHosts, or ask one of them. Nothing was changed.',
  ),
  'use-rules-by-person': refusal(
    'forbidden',
    () => "Only a person can set who may use a variable; omit useRules, or use a person's key.",
  ),
  'secret-stays-secret': invalid(
    'isSecret',
    () => 'A value that was stored as a secret is never shown; send a new value together with isSecret false.',
  ),
  'app-has-no-domain': refusal(
    'conflict',
    () => 'A workspace app has no domain of its own; members open it at /app/<handle>/<slug>.',
  ),
  'no-custom-domain': refusal('conflict', () => 'This site has no custom domain; set one with updateCustomDomain.'),
  'custom-domain-empty': invalid(
    'customDomain',
    () =>
      'customDomain is empty; send a domain such as shop.example.com, or remove the current one with removeCustomDomain.',
  ),
  'custom-domain-changed': refusal(
    'conflict',
    () => 'The custom domain was changed in the meantime; check getCustomDomainStatus and verify again.',
  ),
  'dns-unavailable': refusal(
    'unavailable',
    (about: { why: string }) => `${about.why} Nothing was changed; verify again in a moment.`,
  ),
  'ai-permission-unknown': invalid(
    eachCall,
    (about: { keys: readonly string[] }) =>
      `There is no such key as ${about.keys.join(', ')}; a key is '<area>:*' or '<area>:<tool>', such as 'pages:*' or 'pages:listPages'.`,
  ),
  'ai-permissions-widen': refusal(
    'forbidden',
    () =>
      'The set would allow more than the current one, and a set can only be narrowed; `widening` lists what exceeds it. Nothing was changed.',
  ),
  'ai-permission-missing': refusal(
    'forbidden',
    (about: { operation: string; key: string }) =>
      `This site does not let AI agents use ${about.operation}; its set of AI permissions lacks '${about.key}', and a set can only be narrowed.`,
  ),
};

const known = { ...engineRefusals, ...secretsRefusals, ...sitesRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
export const refusalOf = refusalsOf(known);
