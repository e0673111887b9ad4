import { refuseInput } from '../../../kernel/field/refuse-input.js';

interface ConnectedApp {
  readonly id: string;
}

const message = 'must be the id of a connected app, and no apps can be connected yet: leave it out';

/**
 * The connected apps that a function or an agent may use. A workspace has none yet, so naming one is refused (settled
 * question Q-G28). Those already granted may remain, so that stored grants can be sent back.
 * @throws Refusal invalid-input
 */
export function checkConnectedApps(
  sent: readonly ConnectedApp[] | undefined,
  granted: readonly ConnectedApp[],
  path: string,
): void {
  const problems = (sent ?? []).flatMap(({ id }, at) =>
    granted.some((one) => one.id === id) ? [] : [{ path: `${path}[${at}].id`, message }],
  );
  if (problems.length > 0) refuseInput(problems);
}
