import { invalid, refusal } from '../../../kernel/refusals/refusal-entry.js';

const list = (paths: readonly string[]) =>
  `${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ` and ${paths.length - 10} more` : ''}`;

export const sourceControlRefusals = {
  'git-no-commits': refusal('conflict', () => 'There are no commits yet; gitCommit makes the first one.'),
  'git-nothing-to-commit': refusal(
    'conflict',
    (about: { branch: string }) => `Nothing has changed since the last commit of the branch '${about.branch}'.`,
  ),
  'git-uncommitted': refusal(
    'conflict',
    (about: { paths: readonly string[] }) =>
      `There are uncommitted edits: ${list(about.paths)}. Call gitCommit first. Nothing was changed.`,
  ),
  'git-branch-not-found': refusal(
    'not-found',
    (about: { branch: string }) => `There is no branch '${about.branch}'; gitListBranches lists the branches.`,
  ),
  'git-branch-exists': refusal(
    'conflict',
    (about: { branch: string }) => `The branch '${about.branch}' already exists.`,
  ),
  'git-branches-full': refusal(
    'limited',
    (about: { limit: number }) => `A project may have at most ${about.limit} branches.`,
  ),
  'git-commit-not-found': refusal(
    'not-found',
    (about: { sha: string; branch: string }) =>
      `The branch '${about.branch}' has no commit ${about.sha}; gitListCommits lists its commits.`,
  ),
  'git-conflicts': refusal(
    'conflict',
    (about: { paths: readonly string[] }) =>
      `Both sides changed: ${list(about.paths)}. Nothing was changed; merge with git and push, or undo the changes of one side.`,
  ),
  'git-unrelated': refusal(
    'conflict',
    () =>
      'The two histories have no commit in common. Switch to the branch of the host with discardLocalChanges, or push to an empty repository.',
  ),
  'git-unfit-names': refusal(
    'conflict',
    (about: { wrong: readonly string[] }) =>
      `Some content cannot be stored as files: ${list(about.wrong)}. Rename it first.`,
  ),
  'git-refused': refusal(
    'conflict',
    (about: { why: string }) => `${about.why.replace(/\.?$/, '.')} Nothing was changed.`,
  ),
  'git-busy': refusal(
    'unavailable',
    () => 'The service cannot process more git requests at present. Nothing was changed.',
  ),
  'git-not-for-agents': refusal(
    'forbidden',
    (about: { flag: string }) =>
      `AI agents may not do this in the project, because ${about.flag} is off. A person can turn it on with updateGitPermissions.`,
  ),
  'git-deletes-unasked': refusal(
    'forbidden',
    () =>
      'This would delete pages, components or templates, which an agent can only do after a person approved it. Nothing was changed.',
  ),
  'git-discard-refused': refusal(
    'forbidden',
    () => 'Only a person can discard uncommitted edits; call gitCommit first, or omit discardLocalChanges.',
  ),
  'git-not-connected': refusal(
    'conflict',
    () => 'The project is not connected to a repository; connect it with connectGitHost.',
  ),
  'git-token-missing': refusal(
    'conflict',
    () => 'The project has no token for the git host; send one with connectGitHost.',
  ),
  'git-token-alone': invalid(
    'remoteUrl',
    () =>
      'The project is connected by URL, so a token without remoteUrl could be for another host. For a new token of the repository, send its remoteUrl too; for a token of the git host, call disconnectGitHost first.',
  ),
  'git-host-refused': refusal(
    'conflict',
    afterHost('Correct this at the host, or send another token or repository with connectGitHost.'),
  ),
  'git-host-unavailable': refusal('unavailable', afterHost('Repeat the call later.')),
  'git-remote-ahead': refusal(
    'conflict',
    (about: { branch: string }) =>
      `The branch '${about.branch}' of the host has commits that are not here; call gitPull first. Nothing was pushed.`,
  ),
  'git-webhook-not-found': refusal('not-found', () => 'There is no webhook at this address.'),
  'git-key-gone': refusal(
    'forbidden',
    () => 'The key with which the host was connected no longer exists or was revoked; call connectGitHost again.',
  ),
  'git-push-not-verified': invalid(
    '',
    () =>
      'The signature of this delivery is missing or wrong, or the signed content is not a delivery; nothing was done.',
  ),
};

export interface NewRepository {
  readonly name: string;
  /** False if the host gave no answer, so that it may have created the repository or not. */
  readonly isCertain: boolean;
  /** True if the call has an idempotency key under which a repetition takes the repository. */
  readonly isRepeatable: boolean;
}

interface HostRefusal {
  readonly why: string;
  readonly repository?: NewRepository | undefined;
  readonly advice?: string;
}

function afterHost(usualAdvice: string): (about: HostRefusal) => string {
  return ({ why, repository, advice = usualAdvice }) =>
    repository === undefined ? `${why} Nothing was changed. ${advice}` : `${why} ${afterCreation(repository)}`;
}

function afterCreation({ name, isCertain, isRepeatable }: NewRepository): string {
  const known = isCertain
    ? `The host created the repository ${name}, but it is not connected.`
    : `Whether the host created the repository ${name} is unknown.`;
  const connect = isCertain ? 'Connect' : 'If it did, connect';
  const advice = isRepeatable ? 'Repeat the call with the same Idempotency-Key, or connect' : connect;
  return `${known} ${advice} the repository with repoOwner and repoName.`;
}
