import { Outlet } from '../../../ports/outlet.port.js';

/** Without a message broker nothing is published; outside readers can use the audit. */
export class NoOutlet extends Outlet {
  override async tell(): Promise<void> {}
}
