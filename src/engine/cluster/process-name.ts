/** The name is different after every start. */
export abstract class ProcessName {
  abstract readonly value: string;
}
