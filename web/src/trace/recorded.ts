import { createContext } from 'react';

/** Where a step at a moment is to be found. */
export type AddressAt = (step?: number, at?: number) => string;

/** A run that was written into the page itself: there is no server to ask. */
export interface Recorded {
  readonly exportedAt: number;
  /** Its last good entry, where its journal was damaged. */
  readonly damaged?: number | undefined;
  readonly addressAt: AddressAt;
}

export const RecordedContext = createContext<Recorded | undefined>(undefined);
