/**
 * What Surefire's reports tell of a run of all tests. It uses the JDK alone, so that {@code java TestTotals.java} runs it without a build.
 */
package io.fairlead.build.report;
