let turn = 0;
let isCounting = false;

/** A number that is another one in the next turn of the loop. */
export function loopTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setImmediate(() => {
      isCounting = false;
      turn += 1;
    });
  }
  return turn;
}
