package io.fairlead.node.launch;

/** The hosts of a job in Slurm's notation: {@code node[01-03,07],login1}. */
final class HostList {
    private HostList() {}

    /**
     * The first host of a list.
     *
     * @param name the variable that has it, for messages
     * @param list in Slurm's notation
     * @throws IllegalArgumentException if it is not in that notation
     */
    static String first(String name, String list) {
        StringBuilder host = new StringBuilder();
        int at = 0;
        while (at < list.length() && list.charAt(at) != ',') {
            if (list.charAt(at) != '[') {
                host.append(list.charAt(at++));
                continue;
            }
            int close = list.indexOf(']', at);
            String range = close < 0 ? "" : list.substring(at + 1, close);
            String number = range.split("[-,]", 2)[0];
            if (number.isEmpty() || !number.chars().allMatch(Character::isDigit)) {
                throw malformed(name, list);
            }
            host.append(number);
            at = close + 1;
        }
        String first = host.toString().strip();
        if (first.isEmpty() || !first.matches("[A-Za-z0-9._-]+")) {
            throw malformed(name, list);
        }
        return first;
    }

    private static IllegalArgumentException malformed(String name, String list) {
        return new IllegalArgumentException(
                "environment variable is not a list of hosts: " + name + "=" + LaunchVariables.printable(list)
                        + ", such as node[01-03],login1; or set MASTER_ADDR to the host of process 0");
    }
}
