/*
 * A model of failover: an endpoint goes on over another path when its path fails. README.md says how to run it.
 *
 * Two sides, A and B, have a control connection, which is reliable and keeps order, and one path for each epoch. A path keeps order in each
 * direction and may be arbitrarily slow. A frame that has not arrived when its receiver leaves the epoch is lost or late, and both look the
 * same to the receiver. So no step of the model breaks a path, and a switch may begin at any time.
 *
 * EPOCHS        one more than there are switches
 * A_SENDS       operations of A, each of any kind; B_SENDS: those of B
 * CLOSES        both sides may close at any time; ABORTS: they may abort
 * NO_FENCE, ... leave out one rule of the protocol; each is explained at its place.
 */
#define A 0 /* the listener, which chooses each path */
#define B 1
#define PEER(s) (1 - (s))
#define NAME(s) ('A' + (s))
#define SENDS 2 /* the most that one side posts */
#define LIMIT(s) (s == A -> A_SENDS : B_SENDS)
#define PARTS 2 /* gets that fetch one long message */
#define ROOM 6 /* frames on their way in one direction */
#define NONE 255

/* Sets of operations are bits, by the operation's number. */
#define HAS(set, k) ((set >> (k)) & 1)
#define ADD_TO(set, k) set = set | (1 << (k))
#define FIRST(set) (HAS(set, 0) -> 0 : 1)
#define REMOVE(set, bits) set = set & ~(bits)

/* Operations: short message, long message (its announcement), put with a signal, fetch-and-add. Then the frames of a path. */
mtype = { SHORT, LONG, PUT, ADD, COUNT, RESULT, GET, DATA, DONE };
mtype = { FENCE, FENCED, SWITCH, BYE, GONE }; /* frames of the control connection */
mtype = { RUNNING, DRAINING, RETIRED, ENDED }; /* states of a side */

/* What side s posts in epoch e: kind, number of the operation, second number. Real messages carry no number: both sides count. */
chan lane[2 * EPOCHS] = [ROOM] of { mtype, byte, byte };
#define LANE(e, s) lane[2 * (e) + (s)]
#define OUT(s) LANE(epoch[s], s)
/* What has arrived at side s and is not looked at yet: a ring's content, a receive queue, a socket's buffer. */
chan inbox[2] = [2] of { mtype, byte, byte };
/* What side s sends: kind, epoch, four numbers. */
chan control[2] = [8] of { mtype, byte, byte, byte, byte, byte };

mtype state[2] = RUNNING;
byte epoch[2];
byte path[2]; /* who has chosen it */
bool began[2]; /* this side has begun the switch that goes on */
bool dead; /* the control connection has failed */

/* Kept by the sender s. */
mtype kind[2 * SENDS];
#define KIND(s, k) kind[(s) * SENDS + (k)]
byte made[2]; /* operations that the application has posted */
byte next[2]; /* the next one to go out, again or for the first time */
byte released[2]; /* copies of payloads below it are gone */
byte finished[2]; /* set of long messages whose send has completed: the buffer is the application's again */
byte returned[2]; /* set of atomics whose result the application has */
byte flushed[2]; /* set of puts that a flush has completed */

/* Kept by the receiver s. */
byte owned[2]; /* messages taken: matched or queued for matching; announcements, signals and atomics included */
byte pulling[2]; /* set of long messages that are not whole */
byte part[2]; /* parts of the first of them that are here */
bool asked[2]; /* a get is on its way */
byte kept[2]; /* set of atomics whose result the peer has not counted */
byte wanted[2] = NONE; /* messages that the peer had sent when it closed */
bool closing[2], gone[2], peerGone[2]; /* gone: has sent GONE, as it owns all that the peer had sent */

/* Read by assertions only. */
byte delivered[2]; /* messages that side s has taken */
byte landed[2]; /* set of puts in the memory of side s */
byte refilled[2]; /* set of puts whose memory the application of side s uses for something else by now */

/* The frame in hand. Each step clears it, so that it distinguishes no states. */
mtype f;
byte k, x, e, n1, n2, n3, n4;
#define CLEAR f = 0; k = 0; x = 0; e = 0; n1 = 0; n2 = 0; n3 = 0; n4 = 0

/* Memory and messages of side t are reached by its own epoch alone, and by puts and gets until it has retired that epoch. */
#define IN_EPOCH(t, e) ((state[t] == RUNNING || state[t] == DRAINING) && epoch[t] == e)
#define LATE(t, e) (state[t] != ENDED && epoch[t] >= e)
#ifdef NO_FENCE /* the target's keys stay valid */
#define PUT_REACHES LATE
#else
#define PUT_REACHES IN_EPOCH
#endif
#ifdef NO_GET_FENCE /* buffers of gets stay reachable */
#define GET_REACHES LATE
#else
#define GET_REACHES IN_EPOCH
#endif
#ifdef NO_EPOCH /* frames do not show which epoch they are of */
#define LISTENS(t, e) (state[t] == RUNNING && epoch[t] >= e)
#else
#define LISTENS(t, e) (state[t] == RUNNING && epoch[t] == e)
#endif

/* The way from s to t in one epoch: card, kernel, ring. It moves the first frame on, or leaves it where it is. */
proctype Lane(byte ep; byte s; byte t) {
end:
    do
    :: atomic { LANE(ep, s)?[PUT, k, x] && PUT_REACHES(t, ep) ->
        LANE(ep, s)?PUT, k, x;
        printf("put %d of %c in epoch %d lands\n", k, NAME(s), ep);
        assert(!HAS(refilled[t], k)); /* memory that is used for something else is not written by an old put */
        assert(epoch[t] == ep);
        ADD_TO(landed[t], k);
        if /* The initiator may learn of it by a flush, and tell the target by other means. */
        :: epoch[s] == ep && state[s] == RUNNING -> ADD_TO(flushed[s], k); ADD_TO(refilled[t], k)
        :: true
        fi;
        CLEAR }
    :: atomic { LANE(ep, s)?[GET, k, x] && GET_REACHES(t, ep) && nfull(LANE(ep, t)) ->
        LANE(ep, s)?GET, k, x;
        printf("a get in epoch %d reads part %d of message %d at %c\n", ep, x, k, NAME(t));
        assert(!HAS(finished[t], k));
        LANE(ep, t)!DATA, k, x;
        CLEAR }
    :: atomic { LANE(ep, s)?[DATA, k, x] && GET_REACHES(t, ep) ->
        LANE(ep, s)?DATA, k, x;
        printf("part %d of message %d lands at %c in epoch %d\n", x, k, NAME(t), ep);
        assert(asked[t] && HAS(pulling[t], k) && part[t] == x);
        asked[t] = false;
        part[t]++;
        CLEAR }
    :: atomic { LISTENS(t, ep) && nempty(LANE(ep, s)) && nfull(inbox[t]) &&
            !(LANE(ep, s)?[PUT, k, x] || LANE(ep, s)?[GET, k, x] || LANE(ep, s)?[DATA, k, x]) ->
        LANE(ep, s)?f, k, x;
        printf("%e %d of epoch %d arrives at %c\n", f, k, ep, NAME(t));
        inbox[t]!f, k, x;
        CLEAR }
    od
}

/* Sends the next operation, for the first time or again. */
inline post(s) {
    k = next[s];
    if
    :: k == made[s] -> made[s]++;
        if :: KIND(s, k) = SHORT :: KIND(s, k) = LONG :: KIND(s, k) = PUT :: KIND(s, k) = ADD fi
    :: else
    fi;
    next[s]++;
    printf("%c posts %e %d in epoch %d\n", NAME(s), KIND(s, k), k, epoch[s]);
    assert(k >= released[s]); /* what is sent again has been kept */
#ifdef COUNT_BY_PATH /* an acknowledgement of the kernel or the card releases the copy */
    released[s] = next[s];
#endif
    if /* The signal of a put is a short message behind it. */
    :: KIND(s, k) == PUT && !HAS(flushed[s], k) -> OUT(s)!PUT, k, 0; OUT(s)!SHORT, k, 0
    :: KIND(s, k) == PUT && HAS(flushed[s], k) -> OUT(s)!SHORT, k, 0
    :: else -> OUT(s)!KIND(s, k), k, 0
    fi;
    CLEAR
}

/* Tells the peer what this side owns and which results it has, now or at another time. Credit frames carry it. */
inline count(s) {
    if :: state[s] == RUNNING -> OUT(s)!COUNT, owned[s], returned[s] :: true fi
}

/* Looks at the first frame that has arrived, as a progress does. */
inline take(s) {
    inbox[s]?f, k, x;
    printf("%c takes %e %d\n", NAME(s), f, k);
    if
    :: f == SHORT || f == LONG || f == ADD ->
        assert(k == delivered[s]); /* once, and in order */
        delivered[s]++;
        owned[s]++;
        if
        :: f == LONG -> ADD_TO(pulling[s], k)
        :: f == ADD -> ADD_TO(kept[s], k); /* The target's processor carries it out, so the target can count it. */
            if
            :: state[s] == RUNNING -> OUT(s)!RESULT, k, 0;
#ifdef DROP_RESULT /* a result is not kept behind its sending */
                REMOVE(kept[s], 1 << k)
#endif
            :: else
            fi
        :: KIND(PEER(s), k) == PUT -> assert(HAS(landed[s], k)); ADD_TO(refilled[s], k)
        :: else
        fi;
        count(s)
    :: f == COUNT ->
        released[s] = (k > released[s] -> k : released[s]);
        REMOVE(kept[s], x)
    :: f == RESULT -> assert(!HAS(returned[s], k)); ADD_TO(returned[s], k); count(s)
    :: f == DONE -> ADD_TO(finished[s], k)
    fi;
    CLEAR
}

inline sendFenced(s) {
    control[s]!FENCED, epoch[s], owned[s], pulling[s], kept[s], returned[s];
    printf("%c sends FENCED %d, owned %d\n", NAME(s), epoch[s], owned[s])
}

/* Stops posting and closes the lanes. What had arrived may still be taken, before it is counted. */
inline leave(s) {
    state[s] = DRAINING;
#ifdef COUNT_FIRST /* ... after it is counted */
    sendFenced(s)
#endif
}

/* From here on nothing of the old path is taken and nothing lands. What had arrived and was not taken is not counted, so it comes again. */
inline retire(s) {
    do
    :: inbox[s]?f, k, x ->
#ifdef NO_DRAIN /* it is counted and thrown away */
        if :: f == SHORT || f == LONG || f == ADD -> owned[s]++ :: else fi
#endif
    :: empty(inbox[s]) -> break
    od;
    CLEAR;
    asked[s] = false;
    state[s] = RETIRED;
#ifndef COUNT_FIRST
    sendFenced(s)
#endif
}

/* Goes on from the peer's counts: it owns n1 messages, still pulls n2, sends the results n3 along, and has the results n4. */
inline replay(s) {
    released[s] = (n1 > released[s] -> n1 : released[s]);
    next[s] = n1;
    returned[s] = returned[s] | n3;
    REMOVE(kept[s], n4);
    for (k : 0 .. SENDS - 1) {
        if
        :: k < n1 && KIND(s, k) == LONG && !HAS(n2, k) -> ADD_TO(finished[s], k)
#ifdef PUTS_SINCE_FLUSH /* puts are sent again until a flush has completed, though a message behind them is owned */
        :: k < n1 && KIND(s, k) == PUT && !HAS(flushed[s], k) -> LANE(epoch[s] + 1, s)!PUT, k, 0
#endif
        :: else
        fi
    }
}

inline enter(side, chooser) {
    epoch[side]++;
    path[side] = chooser;
    state[side] = RUNNING;
    began[side] = false;
    printf("%c enters epoch %d, by the path that %c has chosen\n", NAME(side), epoch[side], NAME(chooser))
}

#ifdef NO_TIE_BREAK /* the side that began chooses the path, and both may have begun */
#define CHOOSES(s) began[s]
#else
#define CHOOSES(s) (s == A)
#endif

/* Reads one frame of the control connection. */
inline hear(s) {
    control[PEER(s)]?f, e, n1, n2, n3, n4;
    printf("%c reads %e %d\n", NAME(s), f, e);
    if
    :: f == FENCE -> assert(e == epoch[s]);
        if :: state[s] == RUNNING -> leave(s) :: else /* both have begun */ fi
    :: f == FENCED -> assert(e == epoch[s] && state[s] == RETIRED);
        replay(s);
        if :: CHOOSES(s) -> control[s]!SWITCH, epoch[s] + 1, s, 0, 0, 0; enter(s, s) :: else fi
    :: f == SWITCH && state[s] == RETIRED -> assert(e == epoch[s] + 1); enter(s, n1)
    :: f == SWITCH && state[s] != RETIRED -> path[s] = n1
    :: f == BYE -> wanted[s] = n1
    :: f == GONE -> peerGone[s] = true
    fi;
    CLEAR
}

#ifdef BYE_AT_ONCE /* a disconnect ends the endpoint, whatever is on its way */
#define OWNS_ALL(s) (wanted[s] != NONE)
#else
#define OWNS_ALL(s) (owned[s] == wanted[s])
#endif

proctype Side(byte s) {
end:
    do
    :: atomic { state[s] == RUNNING && len(OUT(s)) <= ROOM - 3 &&
            (next[s] < made[s] || (made[s] < LIMIT(s) && !closing[s])) -> post(s) }
    :: atomic { nempty(inbox[s]) && (state[s] == RUNNING && len(OUT(s)) <= ROOM - 2 || state[s] == DRAINING) -> take(s) }
    :: atomic { state[s] == RUNNING && pulling[s] && part[s] < PARTS && !asked[s] && nfull(OUT(s)) ->
        k = FIRST(pulling[s]);
        asked[s] = true;
        printf("%c posts a get of part %d of message %d in epoch %d\n", NAME(s), part[s], k, epoch[s]);
        OUT(s)!GET, k, part[s];
        CLEAR }
    :: atomic { state[s] == RUNNING && part[s] == PARTS && nfull(OUT(s)) ->
        k = FIRST(pulling[s]);
        printf("%c has message %d whole\n", NAME(s), k);
        REMOVE(pulling[s], 1 << k);
        part[s] = 0;
        OUT(s)!DONE, k, 0;
        CLEAR }
    :: atomic { state[s] == RUNNING && epoch[s] < EPOCHS - 1 ->
        began[s] = true;
        printf("%c sends FENCE %d\n", NAME(s), epoch[s]);
        control[s]!FENCE, epoch[s], 0, 0, 0, 0;
        leave(s) }
    :: atomic { state[s] == DRAINING -> retire(s) }
    :: atomic { (state[s] == RUNNING || state[s] == RETIRED) && nempty(control[PEER(s)]) -> hear(s) }
#ifdef ABORTS
    :: atomic { state[s] != ENDED -> dead = true; state[s] = ENDED }
    :: atomic { state[s] != ENDED && dead -> state[s] = ENDED }
#endif
#ifdef CLOSES
    :: atomic { state[s] != ENDED && !closing[s] && !gone[s] ->
        closing[s] = true;
        printf("%c closes, having sent %d\n", NAME(s), made[s]);
        control[s]!BYE, epoch[s], made[s], 0, 0, 0 }
    /* A closed endpoint lives until the peer owns what was sent before: a switch may have to send it again. */
    :: atomic { state[s] != ENDED && !gone[s] && OWNS_ALL(s) -> gone[s] = true; control[s]!GONE, epoch[s], 0, 0, 0, 0 }
    :: atomic { state[s] != ENDED && (gone[s] && !closing[s] || peerGone[s] && (gone[s] || wanted[s] == NONE)) ->
        assert(!closing[s] || delivered[PEER(s)] == made[s]);
        state[s] = ENDED }
#endif
    od
}

/* All operations of s have had their effect once and have completed. */
inline checkAll(s) {
    assert(made[s] == LIMIT(s) && delivered[PEER(s)] == LIMIT(s) && !pulling[PEER(s)]);
    for (k : 0 .. SENDS - 1) {
        assert(KIND(s, k) != LONG || HAS(finished[s], k));
        assert(KIND(s, k) != ADD || HAS(returned[s], k))
    }
}

/* What holds when nothing can happen any more: both ended, or both went on to the end. */
active proctype Monitor() {
    timeout ->
    if
    :: state[A] == ENDED || state[B] == ENDED -> assert(state[A] == ENDED && state[B] == ENDED)
    :: else ->
        assert(state[A] == RUNNING && state[B] == RUNNING && epoch[A] == EPOCHS - 1 && epoch[B] == epoch[A]);
        assert(path[A] == path[B]);
        checkAll(A); checkAll(B)
    fi
}

init {
    atomic {
        for (e : 0 .. EPOCHS - 1) { run Lane(e, A, B); run Lane(e, B, A) }
        e = 0;
        run Side(A); run Side(B)
    }
}
