import { keepCompiled } from './config/compile-cache.js';

// Backups, exports and stores are for nobody else on this machine.
process.umask(0o077);

await keepCompiled();
// Only now, so that it is compiled from what the last command kept.
const { runCommand } = await import('./cli/commands.js');
process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
});
