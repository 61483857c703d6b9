package io.fairlead.tck;

import java.util.Map;

/** The cases of the Reactive Streams TCK that it skips by itself, each with the reason. */
final class SkippedCases {
    private static final String ADVICE = "the specification only advises it, and the TCK has no test";
    private static final String DEFINITION = "the specification defines a word, and the TCK has no test";
    private static final String UNSEEN = "it cannot be seen from outside, and the TCK has no test";
    private static final String OF_PUBLISHERS_TOO = "the TCK tests publishers for it";

    static final Map<String, String> OF_PUBLISHERS = Map.of(
            "untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled", UNSEEN,
            "untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled", UNSEEN,
            "untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals", ADVICE,
            "untested_spec109_subscribeShouldNotThrowNonFatalThrowable", ADVICE,
            "untested_spec110_rejectASubscriptionRequestIfTheSameSubscriberSubscribesTwice", UNSEEN,
            "untested_spec304_requestShouldNotPerformHeavyComputations", ADVICE,
            "untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation", ADVICE);

    static final Map<String, String> OF_SUBSCRIBERS = Map.ofEntries(
            Map.entry("untested_spec202_blackbox_shouldAsynchronouslyDispatch", ADVICE),
            Map.entry(
                    "untested_spec204_blackbox_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError",
                    UNSEEN),
            Map.entry("untested_spec206_blackbox_mustCallSubscriptionCancelIfItIsNoLongerValid", UNSEEN),
            Map.entry(
                    "untested_spec207_blackbox_mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization",
                    UNSEEN),
            Map.entry(
                    "untested_spec208_blackbox_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel",
                    UNSEEN),
            Map.entry(
                    "untested_spec211_blackbox_mustMakeSureThatAllCallsOnItsMethodsHappenBeforeTheProcessingOfTheRespectiveEvents",
                    UNSEEN),
            Map.entry("untested_spec212_blackbox_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality", DEFINITION),
            Map.entry("untested_spec213_blackbox_failingOnSignalInvocation", UNSEEN),
            Map.entry("untested_spec301_blackbox_mustNotBeCalledOutsideSubscriberContext", UNSEEN),
            Map.entry(
                    "untested_spec308_blackbox_requestMustRegisterGivenNumberElementsToBeProduced", OF_PUBLISHERS_TOO),
            Map.entry("untested_spec310_blackbox_requestMaySynchronouslyCallOnNextOnSubscriber", DEFINITION),
            Map.entry("untested_spec311_blackbox_requestMaySynchronouslyCallOnCompleteOrOnError", DEFINITION),
            Map.entry(
                    "untested_spec314_blackbox_cancelMayCauseThePublisherToShutdownIfNoOtherSubscriptionExists",
                    DEFINITION),
            Map.entry("untested_spec315_blackbox_cancelMustNotThrowExceptionAndMustSignalOnError", OF_PUBLISHERS_TOO),
            Map.entry(
                    "untested_spec316_blackbox_requestMustNotThrowExceptionAndMustOnErrorTheSubscriber",
                    OF_PUBLISHERS_TOO));

    private SkippedCases() {}
}
