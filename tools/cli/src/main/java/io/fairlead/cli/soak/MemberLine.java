package io.fairlead.cli.soak;

/** The words between the command and a member, each line one of them. */
final class MemberLine {
    /** To a member: begin the round whose run's seed and number follow. */
    static final String BEGIN = "begin ";
    /** To a member: end your half. */
    static final String END = "end";
    /** To a member: take away what is used. */
    static final String WITHDRAW = "withdraw";
    /** To a member: say which requests the service has seen. */
    static final String SEEN = "seen";
    /** From a member: the numbers of these requests, as bits in hexadecimal digits, follow. */
    static final String SEEN_LIST = "seen-list ";
    /** From a member: the round may begin; what the scenario needs to know follows. */
    static final String READY = "ready ";
    /** From a member: what it has counted follows. */
    static final String RESULT = "result ";

    private MemberLine() {}
}
