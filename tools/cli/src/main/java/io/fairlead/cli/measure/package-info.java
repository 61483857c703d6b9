/** What measuring has in common: contestants and their processes, rounds in which they take turns, and reports. */
@org.jspecify.annotations.NullMarked
package io.fairlead.cli.measure;
