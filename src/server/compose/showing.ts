import { shower } from '../../projections/preferences/preferences.ts';
import type { Showing } from '../runs/shown-tree.ts';

/** How the entries of a run look to those who prefer this. */
export const showing: Showing = shower;
