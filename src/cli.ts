import { runCommand } from './cli/commands.js';

// Backups, exports and stores are for nobody else on this machine.
process.umask(0o077);

process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
});
