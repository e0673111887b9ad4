import { parseArgs } from 'node:util';
import { readEnvironment } from '../config/environment.js';
import { addCreditsCommand, setPlanCommand } from './allowances.js';
import { printHeads, verifyAudit } from './audit.js';
import { backUp } from './backup.js';
import { createKey, createWorkspaceCommand } from './identities.js';
import type { Console, EnvironmentVariables, Invocation, Values } from './invocation.js';
import { exportLog, importLog } from './log.js';
import { list, rebuild, verify } from './read-models.js';
import { restore } from './restore.js';
import { listSagas, retrySaga } from './sagas.js';

interface Command {
  readonly usage: string;
  readonly does: string;
  readonly flags: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  readonly words: readonly [number, number];
  /**
   * Returns the exit code.
   * @throws Error with a message that is a single sentence
   */
  run(invocation: Invocation): Promise<number>;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const commands: Readonly<Record<string, Command>> = {
  'keys:create': {
    usage:
      '--workspace ID --kind person|connection|agent|automation|flow [--member ID] [--agent ID] [--name NAME] [--read-only] [--never-deletes]',
    does: 'creates an API key and prints it as one JSON line',
    flags: {
      workspace: text,
      kind: text,
      member: text,
      agent: text,
      name: text,
      'read-only': flag,
      'never-deletes': flag,
    },
    words: [0, 0],
    run: createKey,
  },
  'workspace:create': {
    usage: '--name NAME --owner-name NAME --owner-email EMAIL',
    does: 'creates a workspace and prints its id and Owner key as one JSON line',
    flags: { name: text, 'owner-name': text, 'owner-email': text },
    words: [0, 0],
    run: createWorkspaceCommand,
  },
  'plan:set': {
    usage: '--workspace ID --plan free|starter|pro',
    does: 'sets the plan of a workspace',
    flags: { workspace: text, plan: text },
    words: [0, 0],
    run: setPlanCommand,
  },
  'credits:add': {
    usage: '--workspace ID --amount N',
    does: 'adds AI credits to a workspace and prints the new balance as one JSON line',
    flags: { workspace: text, amount: text },
    words: [0, 0],
    run: addCreditsCommand,
  },
  'projections:list': {
    usage: '',
    does: 'prints each read model as one JSON line: its area, version, current build and checkpoint',
    flags: {},
    words: [0, 0],
    run: list,
  },
  'projections:rebuild': {
    usage: '[name|area:name]',
    does: 'rebuilds the read models (all, one, or those of an area) from the log; the service must be stopped',
    flags: {},
    words: [0, 1],
    run: rebuild,
  },
  'projections:verify': {
    usage: '[name|area:name]',
    does: 'builds the read models (all, one, or those of an area) separately and compares them with the live ones; exit code 1 if any differs',
    flags: {},
    words: [0, 1],
    run: verify,
  },
  'sagas:list': {
    usage: '',
    does: 'prints each parked event of a saga with the reason, and the events that wait for it, as JSON lines',
    flags: {},
    words: [0, 0],
    run: listSagas,
  },
  'sagas:retry': {
    usage: 'SAGA [POSITION|all]',
    does: 'makes a saga retry its parked events: the one at a position with others of the same subject, or all; also works while the service runs',
    flags: {},
    words: [1, 2],
    run: retrySaga,
  },
  'audit:verify': {
    usage: '[FILE [--key FINGERPRINT]] [--heads FILE]',
    does: 'computes the hash chains of the audit from the log and compares them with the recorded seals; with FILE, verifies an exported audit without the service; --heads compares either with stored heads; exit code 1 if anything differs',
    flags: { heads: text, key: text },
    words: [0, 1],
    run: verifyAudit,
  },
  'audit:heads': {
    usage: '[--workspace ID]',
    does: 'prints the last signed head of each workspace as one JSON line, for storing on another machine',
    flags: { workspace: text },
    words: [0, 0],
    run: printHeads,
  },
  'log:export': {
    usage: 'FILE [--workspace ID]',
    does: 'writes the log, the sealed vault and the blobs, or one workspace of them, to a new file; also works while the service runs',
    flags: { workspace: text },
    words: [1, 1],
    run: exportLog,
  },
  'log:import': {
    usage: 'FILE',
    does: 'imports an exported log into these stores; requires the same master key; the service must be stopped',
    flags: {},
    words: [1, 1],
    run: importLog,
  },
  backup: {
    usage: 'DIR [--without-key]',
    does: 'copies the log, the vault, the blobs and the master key file to a new directory; also works while the service runs',
    flags: { 'without-key': flag },
    words: [1, 1],
    run: backUp,
  },
  restore: {
    usage: 'DIR',
    does: 'restores a backup into an empty data directory; the next start builds the read models',
    flags: {},
    words: [1, 1],
    run: restore,
  },
};

/** Returns the command's exit code (0 for success), 1 if it throws, or 2 for wrong usage. */
export async function runCommand(
  args: readonly string[],
  environment: EnvironmentVariables,
  console: Console,
): Promise<number> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    console.error(help(name === '' ? undefined : `There is no command '${name}'.`));
    return 2;
  }
  const invocation = parse(name, command, rest, environment, console);
  if (invocation === undefined) return 2;
  try {
    readEnvironment(environment);
    return await command.run(invocation);
  } catch (error) {
    console.error(error instanceof Error ? error.message : 'The command failed without a reason.');
    return 1;
  }
}

function parse(
  name: string,
  command: Command,
  args: string[],
  environment: EnvironmentVariables,
  console: Console,
): Invocation | undefined {
  const usage = `usage: npm run cli -- ${name} ${command.usage}`;
  try {
    const { values, positionals } = parseArgs({ args, options: command.flags, allowPositionals: true });
    const [least, most] = command.words;
    if (positionals.length < least || positionals.length > most) throw new Error(usage);
    return { flags: values as Values, words: positionals, environment, console };
  } catch (error) {
    const problem = error instanceof Error && error.message !== usage ? `${error.message}\n` : '';
    console.error(`${problem}${usage}`);
    return undefined;
  }
}

function help(problem: string | undefined): string {
  const lines = Object.entries(commands).map(([name, { usage, does }]) => `  ${name} ${usage}\n      ${does}`);
  return [...(problem === undefined ? [] : [problem]), 'npm run cli -- COMMAND', ...lines].join('\n');
}
