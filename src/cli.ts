import { useCompileCache } from './config/compile-cache.js';

// Files that this process creates, such as backups and exports, are private to its user.
process.umask(0o077);

await useCompileCache();
// Imported after the umask is set and dynamically, so that it can use the compiled code that the last command stored.
const { runCommand } = await import('./cli/commands.js');
process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
});
