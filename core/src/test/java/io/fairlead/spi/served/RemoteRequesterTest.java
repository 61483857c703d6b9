package io.fairlead.spi.served;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The asking side alone, and a peer that answers what it likes, when it likes. */
@Timeout(60)
final class RemoteRequesterTest {
    private static final ServedLimits LIMITS = new ServedLimits(64, 64, Long.MAX_VALUE, 4, 2);
    private static final ServedLimits CUTTING = new ServedLimits(64, 64, 64, 4, 1);

    private final Arena arena = Arena.ofAuto();
    private FakeEnd end = new FakeEnd(LIMITS);

    private FakeOperation put(long length) {
        FakeOperation put = FakeOperation.over(arena.allocate(length)).at(1, 0);
        end.requester.put(put);
        return put;
    }

    private FakeOperation get(long length) {
        FakeOperation get = FakeOperation.over(arena.allocate(length)).at(1, 0);
        end.requester.get(get);
        return get;
    }

    private FakeOperation flush() {
        FakeOperation flush = new FakeOperation();
        end.requester.flush(flush);
        return flush;
    }

    private FakeOperation atomic() {
        FakeOperation atomic = FakeOperation.word(AtomicOperation.ADD, 1, 0).at(1, 0);
        end.requester.atomic(atomic);
        return atomic;
    }

    private void answer(int kind, int flags, int length) {
        ServedMessage answer = new ServedMessage();
        answer.answer(kind, flags, 17);
        answer.data(MemorySegment.NULL, 0, length);
        byte[] bytes = new byte[answer.headerLength() + length];
        answer.write(MemorySegment.ofArray(bytes), 0);
        end.receive(bytes, Integer.MAX_VALUE);
    }

    private static MemorySegment closed(long length) {
        try (Arena shortLived = Arena.ofShared()) {
            return shortLived.allocate(length);
        }
    }

    private void assertViolation(String text) {
        assertNotNull(end.failure, "no violation");
        assertEquals(Reason.PROTOCOL_VIOLATION, end.failure.reason());
        assertTrue(end.failure.getMessage().contains(text), end.failure::getMessage);
    }

    @Test
    void shouldAskNoMoreThanTheWindowOfAPeerThatAnswersNothing() {
        List<FakeOperation> gets = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            gets.add(get(8));
        }
        FakeOperation flush = flush();
        end.resume();
        assertEquals(LIMITS.window(), end.sent.size());
        assertTrue(end.requester.isWaiting());
        assertFalse(end.requester.isDrained());
        end.requester.cancel();
        gets.forEach(get -> assertEquals(Status.CANCELLED, get.status));
        assertEquals(Status.CANCELLED, flush.status);
        assertTrue(end.requester.isIdle());
    }

    @Test
    void shouldAskForAnAnswerOnceInSoManyPuts() {
        put(8);
        put(8);
        put(8);
        assertEquals(
                List.of(0, ServedMessage.ANSWERED, 0),
                end.sent.stream()
                        .map(message -> message[1] & 0xFF & ~ServedMessage.PROOF)
                        .toList());
        answer(ServedMessage.DONE, 0, 0);
        assertFalse(end.requester.isIdle());
        assertTrue(end.requester.isDrained());
        answer(ServedMessage.DONE, 0, 0);
        assertViolation("the peer answers without a request: answer=DONE");
    }

    @Test
    void shouldShowItsProofInTheFirstRequestThatLeaves() {
        ServedMemory region = new ServedMemory(FakeHost.proof(1));
        end.room = 0;
        end.requester.put(FakeOperation.over(arena.allocate(8)).of(region, 0));
        end.requester.get(FakeOperation.over(arena.allocate(8)).of(region, 0));
        assertFalse(region.isShown());
        end.room = Integer.MAX_VALUE;
        end.resume();
        end.requester.atomic(FakeOperation.word(AtomicOperation.ADD, 1, 0).of(region, 0));
        assertEquals(
                List.of(true, false, false),
                end.sent.stream()
                        .map(message -> (message[1] & ServedMessage.PROOF) != 0)
                        .toList());
        byte[] put = end.sent.remove();
        ServedMessage message = new ServedMessage();
        message.readWhole(MemorySegment.ofArray(put), 0, put.length, 8);
        assertEquals(FakeHost.proof(1), message.proof());
    }

    @Test
    void shouldFlushWithARequestBehindSilentPutsOnly() {
        put(8);
        FakeOperation flush = flush();
        assertEquals(2, end.sent.size());
        answer(ServedMessage.DONE, 0, 0);
        assertEquals(Status.OK, flush.status);
        get(8);
        FakeOperation behindGet = flush();
        FakeOperation another = flush();
        assertEquals(3, end.sent.size());
        assertFalse(behindGet.isDone());
        answer(ServedMessage.DATA, 0, 8);
        assertEquals(Status.OK, behindGet.status);
        assertEquals(Status.OK, another.status);
        assertEquals(Status.OK, flush().status);
        assertEquals(3, end.sent.size());
    }

    @Test
    void shouldEndAFlushNoEarlierThanALateAnswer() {
        put(8);
        put(8);
        FakeOperation flush = flush();
        FakeOperation get = get(8);
        FakeOperation second = flush();
        assertFalse(flush.isDone());
        answer(ServedMessage.DONE, ServedMessage.REFUSED, 0);
        assertEquals(Status.REVOKED, flush.status);
        assertFalse(get.isDone());
        assertFalse(second.isDone());
        answer(ServedMessage.DATA, 0, 8);
        assertEquals(Status.OK, get.status);
        assertEquals(Status.OK, second.status);
    }

    @Test
    void shouldTellOfPutsThatWereRefusedElsewhere() {
        end.requester.refused();
        assertEquals(Status.REVOKED, flush().status);
        assertEquals(Status.OK, flush().status);
    }

    @Test
    void shouldRefuseAnswersToNothing() {
        answer(ServedMessage.DATA, 0, 8);
        assertViolation("the peer answers without a request: answer=DATA, endpoint=#1 to fake");
    }

    @Test
    void shouldRefuseAnswersOfAnotherKind() {
        FakeOperation get = get(8);
        answer(ServedMessage.VALUE, 0, 0);
        assertViolation("the peer answers another request than the oldest: answer=VALUE, due is DATA");
        end.requester.cancel();
        assertEquals(Status.CANCELLED, get.status);
    }

    @Test
    void shouldRefuseDataForAnAtomic() {
        FakeOperation atomic = atomic();
        answer(ServedMessage.DATA, 0, 8);
        assertViolation("answer=DATA, due is VALUE");
        end.requester.cancel();
        assertEquals(Status.CANCELLED, atomic.status);
    }

    @Test
    void shouldRefuseTooLittleData() {
        FakeOperation get = get(9);
        answer(ServedMessage.DATA, 0, 8);
        assertViolation("answer to a get is of a wrong length: length=8, allowed 9 bytes");
        assertFalse(get.isDone());
        end.requester.cancel();
        assertEquals(Status.CANCELLED, get.status);
    }

    @Test
    void shouldRefuseTooMuchData() {
        get(8);
        answer(ServedMessage.DATA, 0, 9);
        assertViolation("answer to a get is of a wrong length: length=9, allowed 8 bytes");
    }

    @Test
    void shouldRefuseMoreThatLeavesNothingForTheLastPart() {
        get(8);
        answer(ServedMessage.DATA, ServedMessage.MORE, 7);
        assertNull(end.failure);
        answer(ServedMessage.DATA, ServedMessage.MORE, 1);
        assertViolation("length=1, allowed less than 1 bytes");
    }

    @Test
    void shouldRevokeAGetOfSeveralRequestsAsAWhole() {
        end = new FakeEnd(CUTTING);
        FakeOperation get = get(64 * 3);
        FakeOperation atomic = atomic();
        answer(ServedMessage.DATA, 0, 64);
        answer(ServedMessage.DATA, ServedMessage.GONE, 0);
        assertFalse(get.isDone());
        answer(ServedMessage.DATA, 0, 64);
        assertEquals(Status.REVOKED, get.status);
        answer(ServedMessage.VALUE, 0, 0);
        assertEquals(Status.OK, atomic.status);
        assertEquals(17, atomic.completedValue);
    }

    @Test
    void shouldCancelAGetOfSeveralRequestsOnce() {
        end = new FakeEnd(CUTTING);
        FakeOperation partly = get(64 * 3);
        FakeOperation hardly = get(64 * 3);
        answer(ServedMessage.DATA, 0, 64);
        end.requester.cancel();
        assertEquals(Status.CANCELLED, partly.status);
        assertEquals(Status.CANCELLED, hardly.status);
    }

    @Test
    void shouldTakeNothingOfAPutThatThrowsInItsPost() {
        FakeOperation put = FakeOperation.over(closed(8)).at(1, 0);
        assertThrows(IllegalStateException.class, () -> end.requester.put(put));
        assertFalse(put.isDone());
        assertEquals(0, put.word);
        assertTrue(end.requester.isIdle());
        assertEquals(0, end.sent.size());
        assertNull(end.memoryClosed);
        put(8);
        assertEquals(1, end.sent.size());
    }

    @Test
    void shouldCancelAPutWhoseMemoryIsClosedWhileItWaits() {
        end.room = 0;
        FakeOperation put = FakeOperation.over(closed(8)).at(1, 0);
        end.requester.put(put);
        FakeOperation behind = put(8);
        assertFalse(put.isDone());
        end.room = 10;
        end.resume();
        assertEquals(Status.CANCELLED, put.status);
        assertEquals(Status.OK, behind.status);
        assertEquals(1, end.sent.size());
        assertNull(end.memoryClosed);
    }

    @Test
    void shouldFailTheEndpointForAPutWhoseMemoryIsClosedWhenSomeOfItHasLeft() {
        end = new FakeEnd(CUTTING);
        end.room = 1;
        Arena closing = Arena.ofShared();
        FakeOperation put = FakeOperation.over(closing.allocate(64 * 3L)).at(1, 0);
        end.requester.put(put);
        FakeOperation behind = put(8);
        assertEquals(1, end.sent.size());
        closing.close();
        end.room = 10;
        end.resume();
        assertNotNull(end.memoryClosed);
        assertEquals(1, end.sent.size());
        assertFalse(put.isDone());
        end.requester.cancel();
        assertEquals(Status.CANCELLED, put.status);
        assertEquals(Status.CANCELLED, behind.status);
    }

    @Test
    void shouldFailTheEndpointForAGetIntoClosedMemory() {
        FakeOperation get = FakeOperation.over(closed(8)).at(1, 0);
        end.requester.get(get);
        answer(ServedMessage.DATA, 0, 8);
        assertNotNull(end.memoryClosed);
        assertNull(end.failure);
        assertFalse(get.isDone());
        end.requester.cancel();
        assertEquals(Status.CANCELLED, get.status);
    }

    @Test
    void shouldWaitWhileTheTransportSaysSo() {
        end.mayAsk = false;
        FakeOperation put = put(8);
        FakeOperation flush = flush();
        assertEquals(0, end.sent.size());
        end.mayAsk = true;
        end.requester.resume();
        assertEquals(2, end.sent.size());
        assertEquals(Status.OK, put.status);
        assertFalse(flush.isDone());
    }

    @Test
    void shouldKeepTheOrderOfWhatIsPostedInsideCompletions() {
        List<FakeOperation> done = new ArrayList<>();
        FakeOperation third = FakeOperation.over(arena.allocate(3)).at(1, 0);
        FakeOperation first = FakeOperation.over(arena.allocate(1)).at(1, 0).whenDone(() -> end.requester.put(third));
        FakeOperation second = FakeOperation.over(arena.allocate(2)).at(1, 0);
        end.room = 0;
        end.requester.put(first);
        end.requester.put(second);
        end.room = 10;
        second.whenDone(() -> done.add(second));
        third.whenDone(() -> done.add(third));
        end.resume();
        assertSame(second, done.get(0));
        assertSame(third, done.get(1));
        assertEquals(
                List.of(40 + 1, 40 + 2, 40 + 3),
                end.sent.stream().map(message -> message.length).toList());
    }

    @Test
    void shouldSurviveTheEndInsideACompletion() {
        FakeOperation second = FakeOperation.over(arena.allocate(2)).at(1, 0);
        FakeOperation get = get(8);
        FakeOperation flush = flush();
        get.whenDone(() -> end.requester.cancel());
        end.room = 1;
        end.requester.put(second);
        answer(ServedMessage.DATA, 0, 8);
        assertEquals(Status.OK, get.status);
        assertEquals(Status.CANCELLED, flush.status);
        assertEquals(Status.CANCELLED, second.status);
    }

    @Test
    void shouldCompleteABorrowedPutWhenItHasLeft() {
        end = new FakeEnd(new ServedLimits(64, 8, Long.MAX_VALUE, 4, 4));
        FakeOperation put = put(100);
        FakeOperation behind = put(1);
        assertTrue(end.isBorrowing());
        assertFalse(put.isDone());
        end.resume();
        assertFalse(put.isDone());
        assertFalse(behind.isDone());
        end.finish(false);
        assertEquals(Status.OK, put.status);
        end.requester.resume();
        assertEquals(Status.OK, behind.status);
    }

    @Test
    void shouldCancelABorrowedPut() {
        end = new FakeEnd(new ServedLimits(64, 8, Long.MAX_VALUE, 4, 4));
        FakeOperation put = put(10);
        end.requester.cancel();
        assertEquals(Status.CANCELLED, put.status);
    }

    @Test
    void shouldKeepWhatIsBehindAFenceUntilGetsHaveTheirData() {
        FakeOperation get = get(8);
        end.requester.fence();
        FakeOperation put = put(8);
        assertEquals(1, end.sent.size());
        assertFalse(put.isDone());
        answer(ServedMessage.DATA, 0, 8);
        assertEquals(Status.OK, get.status);
        assertEquals(Status.OK, put.status);
        end.requester.fence();
        put(8);
        assertEquals(3, end.sent.size());
    }

    @Test
    void shouldRefuseLimitsOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> new ServedLimits(0, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new ServedLimits(8, 9, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new ServedLimits(8, 8, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new ServedLimits(8, 8, 8, 4, 5));
        assertThrows(IllegalArgumentException.class, () -> new ServedLimits(8, 8, 8, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new ServedLimits((1 << 30) + 1, 8, 8, 1, 1));
    }
}
