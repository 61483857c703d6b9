/*
 * The way back: two sides leave their lanes for the control connection and go back to other lanes, again and again.
 * Side 0 has listened. See README.md.
 *
 * Sizes: MESSAGES to each side, LEAVES and RETURNS in all.
 * Each of EARLY_WRITE, TURN_ROUND, WITHDRAW and NO_LANE_EPOCH leaves out a rule.
 */
#define UNKNOWN 255

mtype = { LEFT, DATA, OFFER, READY, REFUSED, STAY, BACK, READ };
/* Where a side is: on its lanes, waiting for the peer to leave too, on the control connection, and steps of a return. */
mtype = { ON, LEAVING, AWAY, OFFERED, PREPARED, GOING };
/* Where a side's messages go. */
mtype = { BY_LANE, BY_CONTROL, HELD };

typedef Peer {
    mtype phase = ON;
    mtype writes = BY_LANE;
    bool readsLane = true;
    byte epoch;
    /* The next message to send, and how many of the peer's were taken. */
    byte next;
    byte taken;
    byte peerTaken = UNKNOWN;
    /* Of a return: this side has sent BACK and READ, and has them. */
    bool back;
    bool peerBack;
    bool read;
    bool peerRead;
    /* Leaves as soon as it is back, and how much the peer had taken when it left again. */
    bool again;
    byte peerTakenAgain = UNKNOWN;
}

Peer side[2];
chan control0 = [6] of { mtype, byte };
chan control1 = [6] of { mtype, byte };
/* What is on a lane may arrive at any time, also after it was left, or never. */
chan lane0 = [3] of { byte, byte };
chan lane1 = [3] of { byte, byte };
/* No frame has arrived that makes no sense where its reader is. */
bool sane = true;
byte leaves = LEAVES;
byte returns = RETURNS;

inline say(kind, number) {
    printf("%c sends %e %d\n", 'A' + s, kind, number);
    if
    :: s == 0 -> control1!kind(number)
    :: s == 1 -> control0!kind(number)
    fi
}

inline leave() {
    side[s].phase = LEAVING;
    side[s].writes = HELD;
    side[s].readsLane = false;
    say(LEFT, side[s].taken)
}

inline take(number) {
    printf("%c takes message %d\n", 'A' + s, number);
    assert(number == side[s].taken);
    side[s].taken++
}

/* Both have left: goes on behind what the peer has taken. */
inline goOn() {
    assert(side[s].peerTaken <= side[s].next);
    side[s].next = side[s].peerTaken;
    side[s].epoch++;
    side[s].writes = BY_CONTROL;
    side[s].phase = AWAY
}

inline finish() {
    side[s].phase = ON;
    side[s].back = false;
    side[s].peerBack = false;
    side[s].read = false;
    side[s].peerRead = false;
    side[s].peerTaken = side[s].peerTakenAgain;
    side[s].peerTakenAgain = UNKNOWN;
    if
    :: side[s].again ->
        side[s].again = false;
        leave()
    :: else
    fi
}

inline hear(kind, number) {
    if
    :: kind == LEFT && side[s].phase == ON ->
        side[s].peerTaken = number;
        leave()
    :: kind == LEFT && side[s].phase == LEAVING && side[s].peerTaken == UNKNOWN -> side[s].peerTaken = number
    :: kind == LEFT && side[s].phase == GOING && side[s].read && side[s].peerRead && side[s].peerTakenAgain == UNKNOWN ->
        side[s].peerTakenAgain = number;
        side[s].again = true
    :: kind == DATA && side[s].phase != ON && side[s].peerTaken != UNKNOWN && !side[s].peerBack -> take(number)
    :: kind == OFFER && s == 1 && side[s].phase == LEAVING && side[s].peerTaken != UNKNOWN ->
        goOn();
        side[s].phase = PREPARED;
        say(READY, 0)
    :: kind == OFFER && s == 1 && side[s].phase == AWAY ->
        if
        :: side[s].phase = PREPARED;
            say(READY, 0)
        :: say(REFUSED, 0)
        fi
    :: kind == READY && side[s].phase == OFFERED ->
        if
        :: side[s].phase = GOING
        :: side[s].phase = AWAY;
            say(STAY, 0)
        fi
    :: kind == REFUSED && side[s].phase == OFFERED -> side[s].phase = AWAY
    :: kind == STAY && side[s].phase == PREPARED -> side[s].phase = AWAY
    :: kind == BACK && (side[s].phase == GOING || side[s].phase == PREPARED) && !side[s].peerBack ->
        side[s].phase = GOING;
        side[s].peerBack = true
    :: kind == READ && side[s].phase == GOING && side[s].back && !side[s].peerRead -> side[s].peerRead = true
    :: else -> sane = false
    fi;
    assert(sane)
}

proctype Side(byte s; chan control; chan lane; chan out) {
    mtype kind;
    byte number;
    byte epoch;
end:
    do
    /* A lane fails. */
    :: atomic { side[s].phase == ON && leaves > 0 -> leaves--; leave() }
#ifdef TURN_ROUND
    :: atomic { side[s].phase == GOING && leaves > 0 -> leaves--; leave() }
#else
    :: atomic { side[s].phase == GOING && leaves > 0 && !side[s].again -> leaves--; side[s].again = true }
#endif
#ifdef WITHDRAW
    :: atomic { side[s].phase == PREPARED -> side[s].phase = AWAY; say(REFUSED, 0) }
#endif
    :: atomic { side[s].phase == LEAVING && side[s].peerTaken != UNKNOWN -> goOn() }

    /* Messages. */
    :: atomic {
        side[s].writes == BY_LANE && side[s].next < MESSAGES && nfull(out) ->
        printf("%c sends message %d on a lane of epoch %d\n", 'A' + s, side[s].next, side[s].epoch);
        out!side[s].epoch,side[s].next;
        side[s].next++
        }
    :: atomic { side[s].writes == BY_CONTROL && side[s].next < MESSAGES -> say(DATA, side[s].next); side[s].next++ }
    :: atomic {
        lane?epoch,number ->
#ifdef NO_LANE_EPOCH
        if
        :: side[s].readsLane -> take(number)
#else
        if
        :: side[s].readsLane && epoch == side[s].epoch -> take(number)
#endif
        :: else
        fi
        }
    :: atomic { control?kind(number) -> printf("%c reads %e %d\n", 'A' + s, kind, number); hear(kind, number) }

    /* A return. */
    :: atomic { s == 0 && side[s].phase == AWAY && returns > 0 -> returns--; side[s].phase = OFFERED; say(OFFER, 0) }
    :: atomic {
        side[s].phase == GOING && !side[s].back ->
        side[s].back = true;
#ifdef EARLY_WRITE
        side[s].writes = BY_LANE;
#else
        side[s].writes = HELD;
#endif
        say(BACK, 0)
        }
    :: atomic {
        side[s].phase == GOING && side[s].peerBack && !side[s].read ->
        side[s].read = true;
        side[s].readsLane = true;
        say(READ, 0)
        }
    :: atomic {
        side[s].phase == GOING && side[s].back && side[s].peerRead && side[s].writes != BY_LANE ->
        side[s].writes = BY_LANE
        }
    :: atomic { side[s].phase == GOING && side[s].read && side[s].peerRead && side[s].writes == BY_LANE -> finish() }
    od
}

/* When nothing more happens, everything was taken and both sides are at the same place. */
active proctype End() {
    atomic {
        run Side(0, control0, lane0, lane1);
        run Side(1, control1, lane1, lane0)
    }
    timeout;
    assert(side[0].taken == MESSAGES && side[1].taken == MESSAGES);
    assert(side[0].phase == side[1].phase);
    assert(side[0].epoch == side[1].epoch)
}
