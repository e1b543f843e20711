/**
 * Answers to a question that is asked again and again, in the order of asking: one that comes after the answer to a
 * later question is old and must not take the place of that.
 */
export class AskingOrder {
  private asked = 0;
  private heard = 0;

  /** The question is asked once more. Gives what says, once when the answer is there, whether it is still news. */
  ask(): () => boolean {
    this.asked += 1;
    const turn = this.asked;
    return () => {
      if (turn < this.heard) return false;
      this.heard = turn;
      return true;
    };
  }
}
