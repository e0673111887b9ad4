/** The name is generated at every start, so a restarted process has another name. */
export abstract class ProcessName {
  abstract readonly value: string;
}
