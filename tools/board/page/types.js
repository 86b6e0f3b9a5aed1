// The messages of the server as types; `docs/board.md` says what they mean. There is no code here.

/** @typedef {import('./model/position.js').Side} Side */

/**
 * @typedef {object} Step
 * @property {string} move
 * @property {string} from
 * @property {string} to
 * @property {string} dice
 * @property {string} [capture]
 * @property {string} [promotion]
 * @property {boolean} [castling]
 * @property {string} [rook]
 * @property {string} [en_passant]
 * @property {boolean} [king]
 */

/**
 * @typedef {object} Steps
 * @property {string} dfen
 * @property {string[]} played
 * @property {string} position
 * @property {string} left
 * @property {string} used
 * @property {string} useless
 * @property {Step[]} steps
 * @property {boolean} complete
 * @property {string | null} pass
 * @property {string | null} turn
 * @property {string | null} after
 * @property {string | null} end
 */

/**
 * @typedef {object} Player
 * @property {'human' | 'engine' | 'unknown'} kind
 * @property {string} name
 * @property {string} [program]
 * @property {string} [level]
 * @property {string} [go]
 * @property {Record<string, string>} [options]
 */

/**
 * @typedef {object} Control
 * @property {'none' | 'movetime' | 'clock'} kind
 * @property {number} [ms]
 * @property {number} [base_ms]
 * @property {number} [increment_ms]
 * @property {number} [delay_ms]
 * @property {number} [turns]
 */

/**
 * @typedef {object} Ply
 * @property {string} roll
 * @property {string} before
 * @property {string | null} turn
 * @property {boolean} [passed]
 * @property {string | null} [after]
 * @property {number | null} [clock_ms]
 */

/**
 * @typedef {object} End
 * @property {string} kind
 * @property {number} result
 * @property {Side | null} winner
 * @property {string} [detail]
 */

/**
 * @typedef {object} Game
 * @property {string | null} id
 * @property {[Player, Player]} players
 * @property {[Control, Control]} controls
 * @property {{ source: 'server' | 'seed' | 'typed', seed?: number }} dice
 * @property {string} opening
 * @property {Ply[]} plies
 * @property {number} ply
 * @property {'roll' | 'turn' | 'over'} state
 * @property {Side} side
 * @property {string} position
 * @property {Steps | null} steps
 * @property {{ left_ms: (number | null)[], turns_to_go: (number | null)[], running: Side | null }} clocks
 * @property {End | null} end
 * @property {string[]} notes
 */

/**
 * @typedef {object} Summary
 * @property {string} id
 * @property {[string, string]} names
 * @property {string} state
 * @property {number} plies
 * @property {Side} side
 * @property {string} position
 * @property {number | null} started_ms
 * @property {End | null} end
 */

/**
 * @typedef {object} Program
 * @property {string} program
 * @property {string} command
 */

/**
 * What is played out on a page, as the server takes it in place of a game.
 * @typedef {object} Line
 * @property {[string, string]} names
 * @property {string} opening
 * @property {{ roll: string, turn: string | null }[]} plies
 * @property {number | null} result
 * @property {string | null} end
 */

/**
 * A turn of a review. Equities and luck are those of the side that rolled.
 * @typedef {object} ReviewTurn
 * @property {number} ply
 * @property {'white' | 'black'} side
 * @property {string} dfen
 * @property {number} equity
 * @property {number} luck
 * @property {Decision | null} decision
 */

/**
 * @typedef {object} Decision
 * @property {string} turn
 * @property {string} best
 * @property {number} loss
 * @property {'?!' | '?' | '??' | null} mark
 * @property {boolean} forced
 * @property {boolean} missed_capture
 */

/**
 * @typedef {object} ReviewSide
 * @property {number} decisions
 * @property {number | null} mean_loss thousandths of equity
 * @property {number} loss
 * @property {number} luck
 * @property {[string, number][]} marks
 * @property {number} missed_captures
 */

/**
 * A review; docs/review.md has the fields.
 * @typedef {object} Review
 * @property {string} white
 * @property {string} black
 * @property {number | null} result
 * @property {{ evaluation: string, depth: number | null }} basis
 * @property {{ start: number, luck: number, play: number, revaluation: number, last: number, sum: number }} account
 * @property {[ReviewSide, ReviewSide]} sides
 * @property {ReviewTurn[]} turns
 */

/**
 * Where a game is played: on the server, or as a line on this page alone. Both give the same picture of it.
 * @typedef {object} Source
 * @property {Game} game
 * @property {boolean} local
 * @property {boolean} driver whether this page rolls for engines and asks them
 * @property {number} heard when the game came, by `performance.now()`
 * @property {(dice?: string) => Promise<unknown>} roll
 * @property {(steps: Steps) => Promise<unknown>} play a complete turn
 * @property {(ply: number) => Promise<unknown>} takeBack
 */

export {};
