import { invalid, refusal } from '../../../kernel/refusals/refusal-entry.js';

const list = (paths: readonly string[]) =>
  `${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ` and ${paths.length - 10} more` : ''}`;

export const sourceControlRefusals = {
  'git-no-commits': refusal('conflict', () => 'Nothing was committed yet; gitCommit makes the first commit.'),
  'git-nothing-to-commit': refusal(
    'conflict',
    (about: { branch: string }) => `Nothing was changed since the last commit of the branch '${about.branch}'.`,
  ),
  'git-uncommitted': refusal(
    'conflict',
    (about: { paths: readonly string[] }) =>
      `These were changed since the last commit: ${list(about.paths)}. Call gitCommit first. Nothing was changed.`,
  ),
  'git-branch-not-found': refusal(
    'not-found',
    (about: { branch: string }) => `There is no branch '${about.branch}'; gitListBranches shows those that there are.`,
  ),
  'git-branch-exists': refusal(
    'conflict',
    (about: { branch: string }) => `There is a branch '${about.branch}' already.`,
  ),
  'git-branches-full': refusal(
    'limited',
    (about: { limit: number }) => `A project has ${about.limit} branches, which is the limit.`,
  ),
  'git-commit-not-found': refusal(
    'not-found',
    (about: { sha: string; branch: string }) =>
      `The branch '${about.branch}' has no commit ${about.sha}; gitListCommits shows those that it has.`,
  ),
  'git-conflicts': refusal(
    'conflict',
    (about: { paths: readonly string[] }) =>
      `Both sides changed: ${list(about.paths)}. Nothing was changed; merge with git and push, or take one side back.`,
  ),
  'git-unrelated': refusal(
    'conflict',
    () =>
      'The two histories have no commit in common. Switch to the branch of the host with discardLocalChanges, or push to an empty repository.',
  ),
  'git-unfit-names': refusal(
    'conflict',
    (about: { wrong: readonly string[] }) => `Not everything can be a file: ${list(about.wrong)}. Rename it first.`,
  ),
  'git-refused': refusal(
    'conflict',
    (about: { why: string }) => `${about.why.replace(/\.?$/, '.')} Nothing was changed.`,
  ),
  'git-busy': refusal('unavailable', () => 'Too much is asked of git at this moment. Nothing was changed.'),
  'git-not-for-agents': refusal(
    'forbidden',
    (about: { flag: string }) =>
      `AI agents may not do this in the project: ${about.flag} is off. A person turns it on with updateGitPermissions.`,
  ),
  'git-deletes-unasked': refusal(
    'forbidden',
    () => 'This would delete pages, components or templates, which agents ask a person for first. Nothing was changed.',
  ),
  'git-discard-refused': refusal(
    'forbidden',
    () => 'Uncommitted edits are discarded by people alone: call gitCommit first, or leave discardLocalChanges out.',
  ),
  'git-not-connected': refusal(
    'conflict',
    () => 'The project is not connected to a repository; connectGitHost connects it.',
  ),
  'git-token-missing': refusal(
    'conflict',
    () => 'The project keeps no token for the git host; send one with connectGitHost.',
  ),
  'git-host-refused': refusal('conflict', (about: { why: string }) => `${about.why} Nothing was changed.`),
  'git-host-unavailable': refusal('unavailable', (about: { why: string }) => `${about.why} Nothing was changed.`),
  'git-remote-ahead': refusal(
    'conflict',
    (about: { branch: string }) =>
      `The branch '${about.branch}' of the host has commits that are not here; call gitPull first. Nothing was pushed.`,
  ),
  'git-webhook-not-found': refusal('not-found', () => 'This address is of no webhook.'),
  'git-key-gone': refusal(
    'forbidden',
    () => 'The key that connected the host is gone or was revoked; call connectGitHost again.',
  ),
  'git-push-not-verified': invalid(
    '',
    () => 'The signature of this delivery is missing or wrong, or what is signed is no delivery; nothing was done.',
  ),
};
